/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content_dump - writes what a test file holds to standard output, made without any test
 *
 *	content_dump DATA RUN WORKER WORKERS MIB     DATA as in enum data_kind, WORKER from 1
 */
#include <stdio.h>
#include <stdlib.h>

#include "iotest/compiler.h"
#include "run/content.h"

#define BLOCK 65536

int main(int argc, char **argv)
{
	static unsigned char block[BLOCK];
	struct io_spec io = { .compressible_percent = 50 };
	struct content content;
	int64_t end;

	if (argc != 6)
		return 2;
	io.data = atoi(argv[1]);
	if (io.data == DATA_FILE)
		return 2;
	end = atoi(argv[5]) * MIB;
	content_init(&content, &io, NULL, argv[2], (uint32_t)atoi(argv[3]) - 1,
		     (uint32_t)atoi(argv[4]));
	for (int64_t at = 0; at < end; at += BLOCK) {
		content_fill(&content, at, block, BLOCK);
		if (fwrite(block, BLOCK, 1, stdout) != 1)
			return 1;
	}
	return fflush(stdout) ? 1 : 0;
}

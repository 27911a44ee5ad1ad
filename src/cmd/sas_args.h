/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sas_args - the words of sasiotest: "-word", "-word value" and "-word=value", in any letter case
 */
#ifndef IOTEST_CMD_SAS_ARGS_H
#define IOTEST_CMD_SAS_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/err.h"
#include "iotest/sysroot.h"

struct sas_args {
	const char *file; /* borrowed from argv */
	bool writes;
	bool reads;
	bool sequential;
	bool random;
	bool sgio;
	bool unbuffered;
	bool writethru;
	bool cached;
	bool force;
	int64_t file_bytes; /* -1 (also below): not given */
	int64_t page_bytes;
	int64_t n_pages;
	int64_t n_instances;
	int format;
	struct strlist notes; /* defaults that were taken, and options without effect */
};

/*
 * Fills args from argv[1..], defaults included: of -writes and -reads just one is set afterwards,
 * page_bytes and n_pages are known, and file_bytes too, unless random reading takes what the file
 * has. Returns 0, or -EINVAL with a usage error that names what is wrong. Release with
 * sas_args_done.
 */
MUST_CHECK int sas_args_parse(int argc, char **argv, struct sas_args *args, struct err *err);
void sas_args_done(struct sas_args *args);

/* One row of the help page for each option. */
void sas_args_add_help(struct buf *page);

#endif

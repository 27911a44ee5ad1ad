/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content - what a test file holds at each place: data, a stamp in every 4 KiB, a readable line
 *
 * The data is that of the plan (pattern.h for the unique kind). Over it lie
 *
 *  - in every 4 KiB of the file, at its byte 488 (so that a block of 512 bytes can hold it): a
 *    stamp of 24 bytes, little endian: run tag (8), offset of its 4 KiB in the file (8), worker
 *    from 0 (4), check sum over these (4);
 *  - in the first 512 bytes of the file, from byte 0: a line that tells a person what this file
 *    is and which run wrote it, ending in a line feed.
 *
 * The same content (run, worker, data) always has the same bytes at the same offset on the same
 * kind of machine: a reader compares with what it makes itself.
 */
#ifndef IOTEST_RUN_CONTENT_H
#define IOTEST_RUN_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/err.h"
#include "iotest/plan.h"
#include "iotest/run.h"
#include "pattern.h"

#define STAMP_EVERY_BYTES 4096
#define STAMP_AT_BYTES 488
#define STAMP_BYTES 24
#define CONTENT_LINE_MAX 400
#define CONTENT_RUN_ID_MAX 64
/* Of a file whose content is repeated, at most this much is used. */
#define CONTENT_SOURCE_MAX (256LL * 1024 * 1024)

/* The content of a file that is written over and over, in memory that children share. */
struct content_source {
	unsigned char *data; /* mapped */
	size_t len;
};

/*
 * Reads it. Not a regular file, empty or unreadable: a negative errno with the sentence in err.
 * Close with content_source_close; a zeroed one is closed.
 */
MUST_CHECK int content_source_open(const char *path, struct content_source *out, struct err *err);
void content_source_close(struct content_source *source);

/* What one worker's file holds. Plain data: copied into each worker. */
struct content {
	struct pattern pattern;
	int data;		     /* enum data_kind */
	size_t zeros_bytes;	     /* at the end of every 4 KiB; all of it if that is the data */
	const unsigned char *source; /* DATA_FILE, borrowed */
	size_t source_len;
	uint64_t run_tag;
	uint32_t worker;
	char line[CONTENT_LINE_MAX];
	size_t line_len;
};

/*
 * Whether a file that begins so can be one of a run: with our line, or with zeros, which a loss of
 * power leaves. A begin that is shorter than the line may be a part of it.
 */
bool content_is_ours(const char *begin, size_t len);

/* io tells the kind of data; source may be NULL unless that is DATA_FILE. */
void content_init(struct content *c, const struct io_spec *io, const struct content_source *source,
		  const char *run_id, uint32_t worker, uint32_t n_workers);

/* Makes the bytes of the file from offset_bytes on. */
void content_fill(const struct content *c, int64_t offset_bytes, void *out, size_t len);

/*
 * The same, but less work for zeros if out still holds what an earlier call of this or of
 * content_fill made with the same content, of at least len bytes, at another offset that is equal
 * modulo 4096: then only the stamps and the line change. Else it fills.
 */
void content_refill(const struct content *c, int64_t offset_bytes, void *out, size_t len);

/* Who made a test file, by what stands in it. */
struct content_owner {
	char run_id[CONTENT_RUN_ID_MAX + 1];
	uint32_t worker;
	uint32_t n_workers;
};

/*
 * Whether a file of so many bytes is a test file and nothing else: its line, and the stamps at the
 * begin, at the end and at places between. Returns 1 and fills out, 0 if it is not, or -errno.
 */
MUST_CHECK int content_recognise(int fd, int64_t size_bytes, struct content_owner *out);

/* What a check found, added up over calls. Zero it first. */
struct content_check {
	int64_t stamps;		    /* looked at */
	int64_t bad;		    /* pieces of 4 KiB with a wrong stamp or wrong bytes */
	int bad_kind;		    /* enum bad_kind, of the first */
	int64_t bad_offset_bytes;   /* of the first: its 4 KiB, with INTEGRITY_FULL its byte */
	int64_t found_worker;	    /* BAD_PLACE: from 1 */
	int64_t found_offset_bytes; /* BAD_PLACE */
};

/* Looks at the stamps that lie completely in these bytes of the file. */
void content_check_stamps(const struct content *c, int64_t offset_bytes, const void *data,
			  size_t len, struct content_check *check);

/* Compares every byte with what content_fill makes into scratch, which has len bytes. A piece
 * with a wrong stamp is told as such, else as BAD_CONTENT. Counts the stamps as well. A bad piece
 * that lies in several calls counts in each that has bad bytes of it. */
void content_check_all(const struct content *c, int64_t offset_bytes, const void *data, size_t len,
		       void *scratch, struct content_check *check);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sas_file - where the file that sasiotest was given leads to
 */
#ifndef IOTEST_CMD_SAS_FILE_H
#define IOTEST_CMD_SAS_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/err.h"

struct sas_file {
	char *dir;  /* as it was given, or absolute after a link was followed */
	char *name; /* in it */
};

/* By its letters alone. Returns 0, or -EINVAL with the sentence in err. */
MUST_CHECK int sas_file_split(const char *given, struct sas_file *out, struct err *err);
void sas_file_done(struct sas_file *file);

/*
 * Refuses symbolic links that lie in directories where anybody may put one. A link as the last
 * part is followed, if follow: then file is the place where it leads. Returns 1 if it was, 0 if
 * there is none, or a negative errno with the sentence in err.
 */
MUST_CHECK int sas_file_resolve(const char *given, bool follow, struct sas_file *file,
				struct err *err);

/* What there is of the file, or of n numbered ones (n below 1: just the file): bytes of the largest
 * one, and what all occupy. */
void sas_file_measure(const struct sas_file *file, int64_t n, int64_t *largest_bytes,
		      int64_t *occupied_bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source - a recorded report: a bundle, its folder, or its report.json
 */
#ifndef IOTEST_CMD_SOURCE_H
#define IOTEST_CMD_SOURCE_H

#include "iotest/buf.h"
#include "iotest/bundle.h"
#include "iotest/report.h"

/* What was found under the given name. */
struct source {
	struct bundle_content content; /* empty for a report.json alone */
	struct buf json;
	const char *text; /* the recorded page, NULL if there is none */
};

/* A bundle is checked against its digests on the way. */
MUST_CHECK int source_load(const char *path, struct source *s, struct err *err);
void source_done(struct source *s);

/* Of the records that were read from it, those that a person reads; release with repeats_forget. */
MUST_CHECK int source_find_shown(const struct source *s, const char *path,
				 const struct records *records, struct records *shown,
				 struct err *err);

/* On standard error: whether its files match their digests. */
void source_say_checked(const struct source *s, const char *path);

#endif

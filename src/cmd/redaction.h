/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redaction - what is taken out of a bundle before it is closed
 */
#ifndef IOTEST_CMD_REDACTION_H
#define IOTEST_CMD_REDACTION_H

#include "iotest/bundle.h"
#include "iotest/compiler.h"
#include "iotest/err.h"
#include "iotest/host.h"
#include "iotest/redact.h"

/* Knows the names of this host and of this user. To be freed with redactor_free. */
struct redactor *redaction_begin(int level, const struct host *host);

/*
 * Rewrites every file of the partial folder, removes those in which something distinctive still
 * stands, and says in redaction.txt what was done. Nothing may be open for writing.
 */
MUST_CHECK int redaction_apply(struct redactor *r, int level, struct bundle *bundle,
			       struct err *err);

/* Which token stands for what, beside the closed bundle. Nothing if there is none. */
MUST_CHECK int redaction_put_map(struct redactor *r, const struct bundle *bundle, struct err *err);

/* Removes the map of an archive of that name, if one lies beside it. */
void redaction_remove_map(const char *out_path, const char *archive_name);

/* The level that the redaction.txt of a bundle names; REDACT_NONE if there is none. */
int redaction_level_of(const struct bundle_content *content);

#endif

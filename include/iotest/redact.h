/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact - take out of texts what names people, machines and parts of them
 *
 * First every text is learned from, then every text is rewritten, then searched: what was learned
 * in one file is found in all. The same value becomes the same token, also in the next bundle of
 * this host. Tokens keep the shape that the programs that read these files need, so that a tree
 * replays as before.
 */
#ifndef IOTEST_REDACT_H
#define IOTEST_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/buf.h"

/* What may leave the host. The default comes first. */
enum redact_level {
	REDACT_SUPPORT, /* no serial numbers, MAC addresses, user names, secrets */
	REDACT_PUBLIC,	/* nor host names, addresses, servers, WWNs, UUIDs */
	REDACT_NONE,
	REDACT_COUNT
};
const char *redact_level_name(int level);

enum redact_kind {
	REDACTED_SECRET,
	REDACTED_SERIAL,
	REDACTED_MAC,
	REDACTED_USER,
	REDACTED_HOST,
	REDACTED_ADDRESS,
	REDACTED_WWN,
	REDACTED_UUID,
	REDACTED_KIND_COUNT
};
const char *redact_kind_name(int kind);

struct redactor;

/* key makes the tokens of this host differ from those of others; it must not leave the host. */
struct redactor *redactor_new(int level, const uint8_t key[16]);
void redactor_free(struct redactor *r);

/* A value that is known from elsewhere, such as the name of this host. */
void redactor_add(struct redactor *r, int kind, const char *value);

/* What stands in place of a value: its token, or what it is if it may be told. To be freed. */
char *redactor_token(struct redactor *r, int kind, const char *value);

/* Learns from a file; path is its name in the bundle. */
void redactor_learn(struct redactor *r, const char *path, const char *text, size_t len);

/* Appends the text without what is to be taken out. */
void redactor_rewrite(struct redactor *r, const char *path, const char *text, size_t len,
		      struct buf *out);

/* The kind of a distinctive value that stands in a text even so; NULL: none does. */
const char *redactor_leak(const struct redactor *r, const char *text, size_t len);

/* How many values became tokens, of each kind: "serial 2, user 1". */
void redactor_add_summary(const struct redactor *r, struct buf *out);

/* "token <tab> kind <tab> value" lines: for the host, and for nobody else. */
void redactor_add_map(const struct redactor *r, struct buf *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables - how the rows of a schema are written
 */
#ifndef IOTEST_MODEL_TABLES_H
#define IOTEST_MODEL_TABLES_H

#include "iotest/compiler.h"
#include "iotest/schema.h"

#define ROW(S, m, t, d) .key = #m, .type = (t), .offset = offsetof(struct S, m), .doc = (d)
#define TEXT(S, m, d)                    \
	{                                \
		ROW(S, m, FIELD_TEXT, d) \
	}
#define I64(S, m, d)                    \
	{                               \
		ROW(S, m, FIELD_I64, d) \
	}
#define DOUBLE(S, m, d)                    \
	{                                  \
		ROW(S, m, FIELD_DOUBLE, d) \
	}
#define BOOL(S, m, d)                    \
	{                                \
		ROW(S, m, FIELD_BOOL, d) \
	}
#define ENUM(S, m, n, d)                                                        \
	{                                                                       \
		ROW(S, m, FIELD_ENUM, d), .names = (n), .n_names = ARRAY_LEN(n) \
	}
#define STRUCT(S, m, s, d)                             \
	{                                              \
		ROW(S, m, FIELD_STRUCT, d), .sub = (s) \
	}
#define LIST(S, m, s, d)                                                                        \
	{                                                                                       \
		ROW(S, m, FIELD_LIST, d), .sub = (s), .count_offset = offsetof(struct S, n_##m) \
	}

#define SCHEMA(S, f)                                                                          \
	{                                                                                     \
		.name = #S, .size = sizeof(struct S), .fields = (f), .n_fields = ARRAY_LEN(f) \
	}

#endif

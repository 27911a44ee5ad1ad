/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters - the files that count errors
 *
 * Private to collect.
 */
#ifndef IOTEST_COLLECT_COUNTERS_H
#define IOTEST_COLLECT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

struct counter {
	const char *pattern; /* of paths without the leading slash; "*" spans folders */
	const char *key;     /* the first word of its line; NULL: the file is the number */
	int column;	     /* behind the key, from 1 */
	const char *meaning; /* what a rise means */
	bool is_common;	     /* it rises now and then without any harm */
};

extern const struct counter counters[];
extern const size_t n_counters;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * differences - the members of two nouns that are not the same
 */
#ifndef IOTEST_ANALYZE_DIFFERENCES_H
#define IOTEST_ANALYZE_DIFFERENCES_H

#include "iotest/comparison.h"
#include "iotest/schema.h"

/* One more, unless both are the same. Empty texts are unknown. */
void differences_add(struct comparison *out, const char *noun, const char *key, const char *a,
		     const char *b);

/*
 * All members, as deep as they go; without those whose key is in leave_out, which ends with NULL.
 * Lists are compared place by place, and by their length.
 */
void differences_add_noun(struct comparison *out, const char *noun, const struct schema *schema,
			  const void *a, const void *b, const char *const *leave_out);

#endif

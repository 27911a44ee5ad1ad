/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison - who owns what of it
 */
#include "iotest/comparison.h"

#include <stdlib.h>

void comparison_done(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->n_differences; i++) {
		free(comparison->differences[i].key);
		free(comparison->differences[i].a);
		free(comparison->differences[i].b);
	}
	free(comparison->differences);
	free(comparison->changes);
	*comparison = (struct comparison){ 0 };
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strlist - a list of owned texts
 */
#include "iotest/sysroot.h"

#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"

void strlist_done(struct strlist *l)
{
	for (size_t i = 0; i < l->n_items; i++)
		free(l->items[i]);
	free(l->items);
	*l = (struct strlist){ 0 };
}

void strlist_add(struct strlist *l, const char *s)
{
	char **item = XGROW(&l->items, &l->n_items);

	*item = xstrdup(s);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strlist_sort(struct strlist *l)
{
	if (l->n_items)
		qsort(l->items, l->n_items, sizeof(*l->items), compare);
}

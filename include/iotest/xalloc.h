/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xalloc - small allocations that end the program when memory is gone
 *
 * For what is small and bounded. Anything sized by the user or the machine is checked instead.
 */
#ifndef IOTEST_XALLOC_H
#define IOTEST_XALLOC_H

#include <stddef.h>

#include "iotest/compiler.h"

/* What the others end with when there is no memory: exit status 1. */
_Noreturn void xalloc_failed(void);

void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Frees *s and stores a copy of value ("" for NULL). */
void xstr_set(char **s, const char *value);

/* For CLEANUP: frees *(void **)p and sets it to NULL. */
void xfree(void *p);

/*
 * Makes room for one more element at the end of a counted array, and returns it zeroed.
 *
 *	struct note *n = XGROW(&host->notes, &host->n_notes);
 */
void *xgrow(void *array, size_t *n, size_t size);
#define XGROW(array, n) ((__typeof__(*(array)))xgrow((array), (n), sizeof(**(array))))

#endif

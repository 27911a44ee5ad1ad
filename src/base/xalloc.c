/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xalloc - small allocations that end the program when memory is gone
 */
#include "iotest/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/err.h"

/* fputs to the unbuffered stderr allocates nothing. */
void xalloc_failed(void)
{
	fputs("iotest: out of memory\n", stderr);
	exit(EXIT_STATUS_FAILED);
}

static void *or_die(void *p)
{
	if (!p)
		xalloc_failed();
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	return or_die(calloc(n ? n : 1, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	return or_die(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return or_die(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return or_die(strndup(s, n));
}

char *xasprintf(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	return or_die(s);
}

void xstr_set(char **s, const char *value)
{
	char *copy = xstrdup(value ? value : "");

	free(*s);
	*s = copy;
}

void xfree(void *p)
{
	void **pointer = p;

	free(*pointer);
	*pointer = NULL;
}

void *xgrow(void *array, size_t *n, size_t size)
{
	char **items = array;
	char *added;

	*items = xreallocarray(*items, *n + 1, size);
	added = *items + *n * size;
	memset(added, 0, size);
	(*n)++;
	return added;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sas_config - the few options of a configuration file of SAS that say where I/O goes
 *
 * "-WORK /saswork", "-utilloc ('/a' '/b')", comments between slash-star and star-slash.
 */
#include "sas_config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "iotest/xalloc.h"

static const char *const names[] = {
	[SAS_WORK] = "work",
	[SAS_UTILLOC] = "utilloc",
	[SAS_MEMSIZE] = "memsize",
	[SAS_BUFSIZE] = "bufsize",
};
_Static_assert(ARRAY_LEN(names) == SAS_OPTION_COUNT, "name every option");

void sas_config_done(struct sas_config *config)
{
	for (int i = 0; i < SAS_OPTION_COUNT; i++)
		free(config->values[i]);
	strlist_done(&config->includes);
	*config = (struct sas_config){ 0 };
}

const char *sas_option_name(int option)
{
	return names[option];
}

/* White space, parentheses and comments. */
static const char *skip(const char *at)
{
	for (;;) {
		at += strspn(at, " \t\r\n()");
		if (at[0] == '/' && at[1] == '*') {
			const char *end = strstr(at + 2, "*/");

			at = end ? end + 2 : at + strlen(at);
		} else {
			return at;
		}
	}
}

/* The next word, to be freed; NULL at the end. *is_option: it begins with a dash of its own. */
static char *next(const char **at, bool *is_option)
{
	const char *start = *at = skip(*at);
	size_t len;

	*is_option = *start == '-';
	if (!*start)
		return NULL;
	if (*start == '"' || *start == '\'') {
		len = strcspn(start + 1, (char[]){ *start, '\n', '\0' });
		*at = start + 1 + len + (start[1 + len] == *start);
		return xstrndup(start + 1, len);
	}
	len = strcspn(start, " \t\r\n()");
	*at = start + len;
	return xstrndup(start, len);
}

static int option_of(const char *word)
{
	for (int i = 0; i < SAS_OPTION_COUNT; i++)
		if (strcasecmp(word, names[i]) == 0)
			return i;
	return -1;
}

/* All words up to the next option. */
static void take_value(const char **at, char **value)
{
	struct buf b = { 0 };

	for (;;) {
		const char *before = *at;
		bool is_option;
		CLEANUP(xfree) char *word = next(at, &is_option);

		if (!word || is_option) {
			*at = before;
			break;
		}
		buf_printf(&b, "%s%s", b.len ? " " : "", word);
	}
	free(*value);
	*value = buf_take(&b);
}

void sas_config_parse(const char *text, struct sas_config *config)
{
	bool is_option;

	for (const char *at = text; *at;) {
		CLEANUP(xfree) char *word = next(&at, &is_option);
		CLEANUP(xfree) char *file = NULL;
		int option = word && is_option ? option_of(word + 1) : -1;

		if (option >= 0)
			take_value(&at, &config->values[option]);
		if (!word || !is_option || strcasecmp(word, "-config") != 0)
			continue;
		take_value(&at, &file);
		if (*file)
			strlist_add(&config->includes, file);
	}
}

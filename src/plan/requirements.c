/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requirements - what has been published, with its source and year
 *
 * The figures moved over the years, so they are data. Most sources write MB/s and do not say which
 * they mean: all are read as MiB/s per physical core. docs/METHOD.md says what each is for.
 */
#include "requirements.h"

#include <errno.h>
#include <string.h>

#include "iotest/planner.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"

/* The first one is the default. */
static const struct requirement table[] = {
	{ "sas-minimum", 100, "100 MB/s per core", "SAS note on sasiotest.exe", 2014 },
	{ "sas-small", 75, "75 MB/s per core", "SAS note on sasiotest.exe", 2014 },
	{ "sas9-minimum", 100, "100 MB/s per core", "SAS 9.4 Companion for Windows", 0 },
	{ "grid-older", 30, "25-30 MB/s per core", "SAS Grid guide 63292", 0 },
	{ "grid-newer", 70, "50-70 MB/s per core", "SAS Grid guide 64808", 0 },
	{ "hp-2012", 75, "75 per core", "HP paper 416-2012", 2012 },
	{ "storage-2018", 150, "100-150 MB/s per core", "SAS Communities ta-p/459472", 2018 },
	{ "sasdata-2020", 100, "100 MiB/s per core", "SAS Communities m-p/579437", 2020 },
	{ "aws-light", 100, "100 MiB/s per core", "AWS SAS Grid guidance", 0 },
	{ "aws-heavy", 150, "up to 150 MiB/s per core", "AWS SAS Grid guidance", 0 },
	{ "azure", 150, "150 MBps per core", "Azure guide for SAS", 0 },
	{ "viya4", 90, "90-120 MB/s", "sas-viya-openshift", 0 },
	{ "viya4-advised", 120, "90-120 MB/s", "sas-viya-openshift", 0 },
	{ "saswork-2025", 100, "100-150 MB/s per core", "SAS Communities m-p/972977", 2025 },
	{ "saswork-2025-advised", 150, "100-150 MB/s per core", "SAS Communities m-p/972977",
	  2025 },
};

const struct requirement *requirements(size_t *n)
{
	*n = ARRAY_LEN(table);
	return table;
}

static void take(const struct requirement *r, struct plan *plan)
{
	plan->requirement_mib_per_s = r->mib_per_s;
	plan->requirement_year = r->year ? r->year : -1;
	xstr_set(&plan->requirement_name, r->name);
	xstr_set(&plan->requirement_published, r->published);
	xstr_set(&plan->requirement_source, r->source);
}

static void list_names(struct buf *b)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		buf_printf(b, "%s%s", i ? ", " : "", table[i].name);
}

int requirements_choose(const char *option, const char *words, struct plan *plan, struct err *err)
{
	CLEANUP(buf_done) struct buf names = { 0 };
	double number;

	plan->requirement_given = words != NULL;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		if (words && strcmp(words, table[i].name))
			continue;
		take(&table[i], plan);
		return 0;
	}
	if (!units_parse_number(words, &number) && number > 0) {
		plan->requirement_mib_per_s = number;
		xstr_set(&plan->requirement_name, "number");
		xstr_set(&plan->requirement_source, "given on the command line");
		return 0;
	}
	list_names(&names);
	err_usage(err, "%s: '%s' is neither a number of MiB/s per core nor a known requirement",
		  option, words);
	err_advise(err, "known: %s", buf_text(&names));
	return -EINVAL;
}

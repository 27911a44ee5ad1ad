/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_evidence - judgements about what was collected beside the measurement
 */
#include <inttypes.h>
#include <string.h>

#include "findings.h"

/* More would fill a page. All are in the JSON. */
#define LISTED_MAX 4

static void add_more(struct buf *text, size_t n)
{
	if (n > LISTED_MAX)
		buf_printf(text, "; and %zu more", n - LISTED_MAX);
}

static void add_count(struct buf *text, const struct error_count *c)
{
	buf_printf(text, "%s", text->len ? "; " : "");
	buf_add_visible(text, text_of(c->name));
	buf_printf(text, " +%" PRId64 " (%s)", c->rise, text_of(c->meaning));
}

static bool list_counts(const struct report *r, int is_common, struct buf *text)
{
	size_t n = 0;

	for (size_t i = 0; i < r->run->n_error_counts; i++) {
		const struct error_count *c = &r->run->error_counts[i];

		if ((c->is_common == 1) != is_common)
			continue;
		if (n++ < LISTED_MAX)
			add_count(text, c);
	}
	add_more(text, n);
	return n > 0;
}

static bool check_errors(const struct report *r, struct buf *text, struct buf *advice)
{
	if (!list_counts(r, 0, text))
		return false;
	buf_add_text(advice, "counters of errors rose during the run: find their cause first, the "
			     "rates may be those of a faulty path");
	return true;
}

static bool check_common(const struct report *r, struct buf *text, struct buf *advice)
{
	if (!list_counts(r, 1, text))
		return false;
	buf_add_text(advice, "a few are usual on a busy network; many cost throughput");
	return true;
}

/* Warnings and worse, and what the network file systems say of their servers as mere notices. */
static bool is_grave(const struct kernel_message *m)
{
	return (m->level >= 0 && m->level <= 4) || strstr(text_of(m->text), "not responding");
}

static bool check_messages(const struct report *r, struct buf *text, struct buf *advice)
{
	size_t n = 0;

	for (size_t i = 0; i < r->run->n_kernel_messages; i++) {
		const struct kernel_message *m = &r->run->kernel_messages[i];

		if (!is_grave(m) || n++ >= LISTED_MAX)
			continue;
		buf_printf(text, "%s", text->len ? "; " : "the kernel said: ");
		buf_add_visible(text, text_of(m->text));
	}
	add_more(text, n);
	if (n)
		buf_add_text(advice, "the rates may be those of a faulty device or path");
	return n > 0;
}

/* What each kind of driver calls a device that works. */
static bool is_well(const char *state)
{
	static const char *const states[] = { "running",       "live",	      "clean",	 "active",
					      "write-pending", "active-idle", "readonly" };

	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		if (strcmp(state, states[i]) == 0)
			return true;
	return !*state;
}

static bool check_unwell(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct target *t = plan_target(r->host, r->plan);

	for (size_t i = 0; t && i < t->n_devices; i++) {
		const struct device *d = &t->devices[i];

		if (d->missing_members > 0)
			buf_printf(text, "%s%s lacks %" PRId64 " of its members",
				   text->len ? "; " : "", text_of(d->name), d->missing_members);
		if (!is_well(text_of(d->state)))
			buf_printf(text, "%s%s is %s", text->len ? "; " : "", text_of(d->name),
				   d->state);
	}
	if (text->len)
		buf_add_text(advice, "repair it and run the test again: this is not the storage as "
				     "it should be");
	return text->len > 0;
}

/* A thin pool that is nearly full has to find space for every write. */
#define POOL_FULL_RATIO 0.9

static bool check_pool(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct target *t = plan_target(r->host, r->plan);

	for (size_t i = 0; t && i < t->n_devices; i++) {
		const struct device *d = &t->devices[i];

		if (d->used_ratio < POOL_FULL_RATIO)
			continue;
		buf_printf(text, "%s (%s) uses %.0f %% of its space", text_of(d->name),
			   text_of(d->dm_name), 100 * d->used_ratio);
		buf_add_text(advice, "extend it: a pool that runs full stops all writers");
		return true;
	}
	return false;
}

static bool check_sas(const struct report *r, struct buf *text, struct buf *advice)
{
	int64_t before = r->host->sas.processes;
	int64_t during = r->run->sas_processes;

	if (before <= 0 && during <= 0)
		return false;
	buf_printf(text,
		   "SAS was running: %" PRId64 " processes before, %" PRId64
		   " at most during the test",
		   before > 0 ? before : 0, during > 0 ? during : 0);
	buf_add_text(advice, "the rates are what was left over for the test; SAS was slowed, too");
	return true;
}

static bool check_shares(const struct report *r, struct buf *text, struct buf *advice)
{
	for (size_t i = 0; i < r->host->sas.n_shares; i++) {
		const struct sas_share *s = &r->host->sas.shares[i];

		if (!strcmp(text_of(s->first), text_of(s->second)))
			continue;
		buf_printf(text, "%s%s and %s share the %s ", text->len ? "; " : "",
			   text_of(s->first), text_of(s->second), text_of(s->level));
		buf_add_visible(text, text_of(s->what));
	}
	if (text->len)
		buf_add_text(advice, "what shares storage shares its throughput");
	return text->len > 0;
}

static bool check_scanners(const struct report *r, struct buf *text, struct buf *advice)
{
	if (!*text_of(r->host->scanners))
		return false;
	buf_printf(text, "a scanner runs that may look into every file: %s", r->host->scanners);
	buf_add_text(advice, "except the directories of SAS from scanning on access, and compare");
	return true;
}

/* --- published settings --- */

/* One source that the value agrees with is enough: they contradict each other. */
static bool differs(const struct report *r, const char *setting)
{
	for (size_t i = 0; i < r->n_advice; i++)
		if (!strcmp(r->advice[i].setting, setting) && r->advice[i].matches == 1)
			return false;
	return true;
}

static bool is_first(const struct report *r, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(r->advice[i].setting, r->advice[at].setting))
			return false;
	return true;
}

static void add_source(struct buf *text, const struct advice *a, const char *before)
{
	buf_printf(text, "%s%s%s of %s", before,
		   !strcmp(a->comparison, "at least") ? "at least " : "", a->published, a->source);
	if (a->year > 0)
		buf_printf(text, " (%" PRId64 ")", a->year);
}

static void add_setting(const struct report *r, size_t first, struct buf *text)
{
	const char *setting = r->advice[first].setting;
	const char *before = "";

	buf_printf(text, "%s%s ", text->len ? "; " : "", setting);
	buf_add_visible(text, text_of(r->advice[first].value));
	buf_add_text(text, " differs from ");
	for (size_t i = first; i < r->n_advice; i++) {
		if (strcmp(r->advice[i].setting, setting) != 0)
			continue;
		add_source(text, &r->advice[i], before);
		before = " and from ";
	}
}

static bool check_settings(const struct report *r, struct buf *text, struct buf *advice)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_advice; i++) {
		if (!is_first(r, i) || !differs(r, r->advice[i].setting))
			continue;
		if (n++ < LISTED_MAX)
			add_setting(r, i, text);
	}
	add_more(text, n);
	if (n)
		buf_add_text(advice, "these are published settings, not rules; measure before and "
				     "after a change");
	return n > 0;
}

static bool check_unread(const struct report *r, struct buf *text, struct buf *advice)
{
	if (r->run->unread_files <= 0)
		return false;
	buf_printf(text, "%" PRId64 " items of the evidence could not be read by this user",
		   r->run->unread_files);
	buf_add_text(advice, "iotest evidence --add BUNDLE, as root, adds them");
	return true;
}

const struct judgement evidence_judgements[] = {
	{ "errors-counted", SEVERITY_WARNING, "counters of errors rose during the run",
	  check_errors, "a bad cable, port, path or device, or a server that did not answer",
	  "find the cause first: the rates are those of a faulty path" },
	{ "kernel-messages", SEVERITY_WARNING, "the kernel complained about storage meanwhile",
	  check_messages, "a device, path or file system had trouble while it was measured",
	  "read them in the bundle, repair the cause, and run again" },
	{ "device-unwell", SEVERITY_WARNING, "a path or array below is not as it should be",
	  check_unwell, "a path failed, or an array is degraded or being rebuilt",
	  "repair it and run again: this is not the storage as it should be" },
	{ "pool-full", SEVERITY_WARNING, "a thin pool or snapshot below is nearly full", check_pool,
	  "thin provisioning, or a snapshot that grew",
	  "extend the pool: one that runs full stops all writers" },
	{ "sas-running", SEVERITY_WARNING, "SAS was running", check_sas,
	  "sessions or services of SAS were at work on this host",
	  "run it when they are quiet, or read the rates as what was left beside them" },
	{ "scanner", SEVERITY_INFO, "a scanner may look into every file", check_scanners,
	  "a virus scanner or an auditing agent is installed and active",
	  "except the directories of SAS from scanning on access, and compare" },
	{ "sas-shares", SEVERITY_INFO, "places of SAS lie on the same storage", check_shares,
	  "WORK, UTILLOC or data of SAS are directories of one storage",
	  "count on a share of the rate for each of them, or give them storages of their own" },
	{ "packets-lost", SEVERITY_INFO, "counters rose that often do", check_common,
	  "a busy network, or small buffers",
	  "look at how many: a few are usual, many cost throughput" },
	{ "settings-differ", SEVERITY_INFO, "settings differ from published ones", check_settings,
	  "the host has the defaults of its distribution, or was tuned for something else",
	  "compare with the sources that are named, and measure before and after a change" },
	{ "evidence-incomplete", SEVERITY_INFO, "root could read more", check_unread,
	  "this user may not read some files and messages of the kernel",
	  "run it as root, or iotest evidence as root, if the bundle is for support" },
};
const size_t n_evidence_judgements = ARRAY_LEN(evidence_judgements);

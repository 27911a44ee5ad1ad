/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wishes - the words of the options that change the plan, and which of them contradict
 */
#include "wishes.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "iotest/planner.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "quick.h"

#define REPEAT_MAX 100
#define COMPRESSIBLE "compressible="

/* 0: write, 1: read, 2: neither. */
static size_t phase_named(const char *word, size_t len)
{
	static const char *const names[] = { "write", "read" };
	size_t i = 0;

	while (i < ARRAY_LEN(names) && (strlen(names[i]) != len || strncmp(word, names[i], len)))
		i++;
	return i;
}

int wishes_phases(const char *words, bool *write, bool *read, struct err *err)
{
	bool has[3] = { false };

	for (const char *s = words; s;) {
		size_t len = strcspn(s, ",");
		size_t i = phase_named(s, len);

		if (i == 2)
			return err_usage(err, "--phases: '%s' is none of write, read, write,read",
					 words);
		if (has[i])
			return err_usage(err, "--phases: '%s' names one of them twice", words);
		has[i] = true;
		s = s[len] ? s + len + 1 : NULL;
	}
	*write = !words || has[0];
	*read = !words || has[1];
	return 0;
}

static int take_compressible(const char *percent, struct io_spec *io, struct err *err)
{
	if (units_parse_count(percent, 1, 99, &io->compressible_percent))
		return err_usage(err, "--data: '%s' percent are not a whole number from 1 to 99",
				 percent);
	io->data = DATA_COMPRESSIBLE;
	return 0;
}

int wishes_data(const char *words, struct io_spec *io, struct err *err)
{
	io->compressible_percent = -1;
	if (!words || !strcmp(words, "unique")) {
		io->data = DATA_UNIQUE;
		return 0;
	}
	if (!strcmp(words, "zeros")) {
		io->data = DATA_ZEROS;
		return 0;
	}
	if (!strncmp(words, COMPRESSIBLE, strlen(COMPRESSIBLE)))
		return take_compressible(words + strlen(COMPRESSIBLE), io, err);
	if (!strchr(words, '/')) {
		err_usage(err, "--data: '%s' is neither unique, zeros, compressible=PCT nor a file",
			  words);
		err_advise(err, "a file is named with its directory: ./%s", words);
		return -EINVAL;
	}
	io->data = DATA_FILE;
	io->data_file = xstrdup(words);
	return 0;
}

/* What can be said in one word about the wishes, so that two of them can stand in a row. */
enum said {
	SAYS_QUICK = 1 << 0,
	SAYS_PROVE = 1 << 1,
	SAYS_REQUIRE = 1 << 2,
	SAYS_MIXED = 1 << 3,
	SAYS_PHASES = 1 << 4,
	SAYS_CONTROL = 1 << 5,
	SAYS_WRITE_ONLY = 1 << 6,
	SAYS_FULL_INTEGRITY = 1 << 7,
	SAYS_MAX_RATE = 1 << 8,
	SAYS_GENTLE = 1 << 9,
};

static const struct {
	unsigned both;
	const char *sentence;
} contradictions[] = {
	{ SAYS_QUICK | SAYS_PROVE, "--quick and --prove are two kinds of test; give one of them" },
	{ SAYS_PROVE | SAYS_REQUIRE,
	  "--prove and --require both set the required rate; give one of them" },
	{ SAYS_MIXED | SAYS_PHASES,
	  "--mixed and --phases both set what is measured; give one of them" },
	{ SAYS_PROVE | SAYS_CONTROL, "--control compares a rate that is as fast as it goes, and "
				     "--prove holds a pace; give one of them" },
	{ SAYS_MIXED | SAYS_CONTROL, "--control compares writing or reading alone, and --mixed "
				     "does both at once; give one of them" },
	{ SAYS_MAX_RATE | SAYS_PROVE,
	  "--prove holds the pace of a requirement, and --max-rate sets another; give one of "
	  "them" },
	{ SAYS_MAX_RATE | SAYS_CONTROL, "--control is as fast as it goes, and --max-rate is not; "
					"give one of them" },
	{ SAYS_GENTLE | SAYS_CONTROL, "--control is as fast as it goes, and --gentle steps back; "
				      "give one of them" },
	{ SAYS_WRITE_ONLY | SAYS_FULL_INTEGRITY, "--integrity full compares what is read, and "
						 "--phases write reads nothing; give one of them" },
};

static unsigned what_is_said(const struct plan_wishes *w, bool writes, bool reads)
{
	return (w->quick ? SAYS_QUICK : 0) | (w->prove ? SAYS_PROVE : 0) |
	       (w->require ? SAYS_REQUIRE : 0) | (w->mixed_read_percent >= 0 ? SAYS_MIXED : 0) |
	       (w->phases ? SAYS_PHASES : 0) | (w->control ? SAYS_CONTROL : 0) |
	       (writes && !reads ? SAYS_WRITE_ONLY : 0) |
	       (w->max_rate_mib_per_s > 0 ? SAYS_MAX_RATE : 0) | (w->gentle ? SAYS_GENTLE : 0) |
	       (w->integrity == INTEGRITY_FULL ? SAYS_FULL_INTEGRITY : 0);
}

static int check_figures(const struct plan_wishes *w, size_t n_targets, struct err *err)
{
	if (w->repeat > REPEAT_MAX)
		return err_usage(err, "--repeat: %" PRId64 " runs are more than %d", w->repeat,
				 REPEAT_MAX);
	if (w->mixed_read_percent > 99)
		return err_usage(err,
				 "--mixed: %" PRId64 " %% of reads is not between 1 and 99; "
				 "--phases read or --phases write measures one alone",
				 w->mixed_read_percent);
	if (w->together && n_targets < 2)
		return err_usage(err, "--together measures several targets at the same time, and "
				      "only one -t is given");
	if ((w->quick || w->prove) && w->time_limit_ns >= 0 &&
	    w->time_limit_ns < QUICK_LIMIT_MIN_NS)
		return err_usage(err, "%s takes at least 5 s, and --time-limit is shorter",
				 w->quick ? "--quick" : "--prove");
	return 0;
}

static void io_spec_done(struct io_spec *io)
{
	xfree(&io->data_file);
}

int plan_check_wishes(const struct plan_wishes *w, size_t n_targets, struct err *err)
{
	CLEANUP(io_spec_done) struct io_spec io = { 0 };
	bool writes;
	bool reads;
	unsigned said;
	int rc;

	rc = wishes_phases(w->phases, &writes, &reads, err);
	if (!rc)
		rc = wishes_data(w->data, &io, err);
	if (rc)
		return rc;
	said = what_is_said(w, writes, reads);
	for (size_t i = 0; i < ARRAY_LEN(contradictions); i++)
		if ((said & contradictions[i].both) == contradictions[i].both)
			return err_usage(err, "%s", contradictions[i].sentence);
	return check_figures(w, n_targets, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_history_regression - the arithmetic by hand, and how often it is wrong
 *
 * The simulation has a generator of its own with a fixed seed, so that its rates are the same on
 * every machine; they are printed and stand in docs/METHOD.md.
 */
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/regression.h"

#define DAY_NS (DAY_S * NS_PER_S)
#define RUNS_MAX 400
#define WINDOW 100
#define MINUTE_NS (60 * NS_PER_S)

static struct regression_run runs[RUNS_MAX];
static double scratch[RUNS_MAX];
static size_t n_runs;

static void add(double rate, int64_t after_ns)
{
	int64_t last = n_runs ? runs[n_runs - 1].at_ns : 0;

	ck_assert_uint_lt(n_runs, RUNS_MAX);
	runs[n_runs++] = (struct regression_run){ last + after_ns, rate };
}

/* Twenty runs around 100 whose median absolute deviation is 2. */
static void baseline(void)
{
	static const double rates[] = { 96, 98, 100, 102, 104 };

	n_runs = 0;
	for (int i = 0; i < 20; i++)
		add(rates[i % 5], DAY_NS);
}

static struct regression judge(void)
{
	struct regression r;

	regression_judge(runs, n_runs, REGRESSION_BASELINE_MIN, scratch, &r);
	return r;
}

START_TEST(twenty_runs_before_the_last_three_are_needed)
{
	struct regression r;

	baseline();
	add(100, DAY_NS);
	add(100, DAY_NS);
	r = judge();
	ck_assert_int_eq(r.state, REGRESSION_LEARNING);
	ck_assert_uint_eq(r.n_before, 19);
	add(100, DAY_NS);
	r = judge();
	ck_assert_int_eq(r.state, REGRESSION_NONE);
	ck_assert_uint_eq(r.n_before, 20);
	ck_assert_double_eq_tol(r.median, 100, 1e-9);
	ck_assert_double_eq_tol(r.deviation, 1.4826 * 2, 1e-9);
	ck_assert_double_eq_tol(r.newest, 100, 1e-9);
	/* Less than a tenth is never said. */
	ck_assert_double_eq_tol(r.limit, 90, 1e-9);
}
END_TEST

START_TEST(a_suspicion_is_confirmed_by_a_later_session_only)
{
	baseline();
	add(70, DAY_NS);
	add(70, MINUTE_NS);
	ck_assert_int_eq(judge().state, REGRESSION_LEARNING);
	add(70, MINUTE_NS);
	ck_assert_int_eq(judge().state, REGRESSION_SUSPECTED);
	ck_assert_uint_eq(judge().first_slow, 22);
	add(70, 13 * MINUTE_NS);
	ck_assert_int_eq(judge().state, REGRESSION_SUSPECTED);
	add(70, 2 * MINUTE_NS);
	ck_assert_int_eq(judge().state, REGRESSION_CONFIRMED);
	ck_assert_uint_eq(judge().first_slow, 22);
}
END_TEST

START_TEST(a_good_run_of_a_later_session_confirms_nothing)
{
	baseline();
	add(60, DAY_NS);
	add(60, MINUTE_NS);
	add(60, MINUTE_NS);
	add(100, DAY_NS);
	ck_assert_int_eq(judge().state, REGRESSION_SUSPECTED);
	add(100, DAY_NS);
	ck_assert_int_ne(judge().state, REGRESSION_CONFIRMED);
	add(100, DAY_NS);
	ck_assert_int_eq(judge().state, REGRESSION_NONE);
}
END_TEST

START_TEST(it_ends_when_the_rate_is_back)
{
	baseline();
	for (int i = 0; i < 6; i++)
		add(70, DAY_NS);
	ck_assert_int_eq(judge().state, REGRESSION_CONFIRMED);
	for (int i = 0; i < 3; i++)
		add(100, DAY_NS);
	ck_assert_int_eq(judge().state, REGRESSION_NONE);
}
END_TEST

START_TEST(equal_runs_have_a_least_spread)
{
	n_runs = 0;
	for (int i = 0; i < 23; i++)
		add(50, DAY_NS);
	ck_assert_double_eq_tol(judge().deviation, 1, 1e-9);
	ck_assert_int_eq(judge().state, REGRESSION_NONE);
}
END_TEST

/* ------------------------------------------------------------------ how often it is wrong */

static uint64_t random_state;

static double uniform(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(6.283185307179586 * uniform());
}

/* What one history is made of: sessions a day apart, of so many runs each. */
struct world {
	const char *name;
	int runs_per_session;
	double session_noise; /* shared by the runs of a session */
	double run_noise;
};

static const struct world worlds[] = {
	{ "independent noise of 10 %", 1, 0, 0.10 },
	{ "session noise of 10 %, 2 % within", 3, 0.10, 0.02 },
};

static void add_session(const struct world *w, double level, int *n_alarms, int *n_checks)
{
	double shared = w->session_noise * normal();

	for (int i = 0; i < w->runs_per_session; i++) {
		double rate = level * (1 + shared + w->run_noise * normal());
		struct regression r;
		size_t from;

		add(rate > 1 ? rate : 1, i ? 2 * MINUTE_NS : DAY_NS);
		from = n_runs > WINDOW ? n_runs - WINDOW : 0;
		regression_judge(runs + from, n_runs - from, REGRESSION_BASELINE_MIN, scratch, &r);
		*n_checks += r.state != REGRESSION_LEARNING;
		*n_alarms += r.state == REGRESSION_CONFIRMED;
	}
}

static double false_alarms(const struct world *w)
{
	int n_alarms = 0, n_checks = 0;

	for (int history = 0; history < 400; history++) {
		n_runs = 0;
		while (n_runs + 3 < 200)
			add_session(w, 100, &n_alarms, &n_checks);
	}
	return (double)n_alarms / n_checks;
}

/* Drops by 30 % that stay, found within so many sessions. */
static double found(const struct world *w, int n_sessions)
{
	const int n_histories = 2000;
	int n_found = 0;

	for (int history = 0; history < n_histories; history++) {
		int n_alarms = 0, n_checks = 0;

		n_runs = 0;
		while (n_runs < 45)
			add_session(w, 100, &n_alarms, &n_checks);
		n_alarms = 0;
		for (int i = 0; i < n_sessions; i++)
			add_session(w, 70, &n_alarms, &n_checks);
		n_found += n_alarms > 0;
	}
	return (double)n_found / n_histories;
}

static void simulate(const struct world *w)
{
	double wrong, right;

	random_state = 88172645463325252ULL;
	wrong = false_alarms(w);
	right = found(w, 5);
	printf("%s: false alarms in %.5f of the checks, drops of 30 %% found within five days "
	       "%.3f\n",
	       w->name, wrong, right);
	ck_assert_double_le(wrong, 1.0 / 200);
	ck_assert_double_ge(right, 0.90);
}

START_TEST(false_alarms_are_rare_and_drops_are_found_with_independent_noise)
{
	simulate(&worlds[0]);
}
END_TEST

START_TEST(false_alarms_are_rare_and_drops_are_found_with_session_noise)
{
	simulate(&worlds[1]);
}
END_TEST

SUITE_MAIN("history regression", twenty_runs_before_the_last_three_are_needed,
	   a_suspicion_is_confirmed_by_a_later_session_only,
	   a_good_run_of_a_later_session_confirms_nothing, it_ends_when_the_rate_is_back,
	   equal_runs_have_a_least_spread,
	   false_alarms_are_rare_and_drops_are_found_with_independent_noise,
	   false_alarms_are_rare_and_drops_are_found_with_session_noise)

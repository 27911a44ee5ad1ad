/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_analyze_alone - who else was there, and what earlier runs had left
 */
#include <errno.h>

#include "proof_record.h"

static void no_lock(void)
{
	xstr_set(&rec.run.host_lock_failure, "/tmp/iotest-7: not a directory of this user alone");
}

static void late(void)
{
	rec.run.start_at_ns = 100 * NS_PER_S;
	rec.run.write.started_at_ns = 102 * NS_PER_S;
}

static void shared(void)
{
	rec.run.target_shared = 1;
	rec.run.target_lock_error = 0;
}

static void refused(void)
{
	rec.run.target_lock_error = ENOLCK;
}

static void on_network(void)
{
	rec.host.targets[0].kind = TARGET_NETWORK;
	xstr_set(&rec.host.targets[0].fs_type, "nfs4");
	rec.run.target_lock_error = 0;
}

static void swept(void)
{
	xstr_set(&rec.run.swept, ".iotest-a");
	rec.run.swept_bytes = 2 * MIB;
}

static void unswept(void)
{
	xstr_set(&rec.run.sweep_failure, ".iotest-a (.nfs0 in it)");
}

static void others(void)
{
	xstr_set(&rec.run.others_left, ".iotest-b (it is of the host b)");
}

START_TEST(each_is_told)
{
	static const struct {
		void (*change)(void);
		const char *id, *want;
	} rows[] = {
		{ no_lock, "no-host-lock",
		  "a second iotest of this user was not kept out: /tmp/iotest-7: not a directory "
		  "of "
		  "this user alone" },
		{ late, "late-start", "it began 2.0 s after --start-at" },
		{ shared, "target-shared",
		  "somebody else held the lock that iotest takes on the target: most likely an "
		  "iotest of another host or user measured here at the same time" },
		{ refused, "others-unseen",
		  "other tests of this directory at the same time cannot be seen: locks are "
		  "refused "
		  "(No locks available)" },
		{ on_network, "others-unseen",
		  "other tests of this directory at the same time cannot be seen: locks on "
		  "directories of nfs4 do not leave this host" },
		{ swept, "swept",
		  "what a run that was killed had left was removed before this one: .iotest-a, 2 "
		  "MiB" },
		{ unswept, "sweep-failed",
		  "what runs that were killed may have left could not be dealt with: .iotest-a "
		  "(.nfs0 in "
		  "it)" },
		{ others, "others-left",
		  "directories of other runs lie in the target: .iotest-b (it is of the host b)" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		begin();
		analyze(&rec.report);
		ck_assert_ptr_null(find(rows[i].id));
		rows[i].change();
		analyze(&rec.report);
		ck_assert_ptr_nonnull(find(rows[i].id));
		ck_assert_str_eq(find(rows[i].id)->text, rows[i].want);
		end();
	}
}
END_TEST

START_TEST(locks_that_reach_other_hosts_or_are_not_known_are_no_news)
{
	begin();
	on_network();
	xstr_set(&rec.host.targets[0].fs_type, "ceph");
	analyze(&rec.report);
	ck_assert_ptr_null(find("others-unseen"));
	on_network();
	rec.run.target_lock_error = -1;
	analyze(&rec.report);
	ck_assert_ptr_null(find("others-unseen"));
	rec.run.start_at_ns = rec.run.write.started_at_ns - NS_PER_S / 2;
	analyze(&rec.report);
	ck_assert_ptr_null(find("late-start"));
	end();
}
END_TEST

SUITE_MAIN("analyze alone", each_is_told, locks_that_reach_other_hosts_or_are_not_known_are_no_news)

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_alone - was this the only test here, and what had earlier ones left
 */
#include <inttypes.h>
#include <string.h>

#include "findings.h"
#include "iotest/schema.h"
#include "iotest/units.h"

/* Hosts whose clocks agree begin within this. */
#define LATE_NS NS_PER_S

static bool check_host_lock(const struct report *r, struct buf *text, struct buf *advice)
{
	if (!text_of(r->run->host_lock_failure)[0])
		return false;
	buf_add_text(text, "a second iotest of this user was not kept out: ");
	buf_add_visible(text, r->run->host_lock_failure);
	buf_add_text(advice, "if another one ran at the same time, each measured the other");
	return true;
}

static bool check_late(const struct report *r, struct buf *text, struct buf *advice)
{
	int64_t asked_ns = r->run->start_at_ns, began_ns = r->run->write.started_at_ns;

	if (asked_ns < 0 || began_ns < 0 || began_ns - asked_ns < LATE_NS)
		return false;
	buf_add_text(text, "it began ");
	units_add_duration(text, began_ns - asked_ns);
	buf_add_text(text, " after --start-at");
	buf_add_text(advice, "hosts that began in time had the storage for themselves until then");
	return true;
}

static bool check_shared(const struct report *r, struct buf *text, struct buf *advice)
{
	if (r->run->target_shared != 1)
		return false;
	buf_add_text(text, "somebody else held the lock that iotest takes on the target: most "
			   "likely an iotest of another host or user measured here at the same "
			   "time");
	buf_add_text(advice, "if all were to run together, add their rates; else run it alone");
	return true;
}

/* Of the network file systems, those whose locks on directories reach the other hosts. Elsewhere
 * the kernel grants them without asking anybody. */
static bool has_shared_locks(const char *fs_type)
{
	static const char *const types[] = { "ceph", "gfs2", "ocfs2" };

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (!strcmp(fs_type, types[i]))
			return true;
	}
	return false;
}

static const struct target *target_of(const struct report *r)
{
	int64_t i = r->plan->target_index;

	return i >= 0 && (size_t)i < r->host->n_targets ? &r->host->targets[i] : NULL;
}

static bool check_unseen(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct target *target = target_of(r);
	int64_t error = r->run->target_lock_error;
	bool is_network = target && target->kind == TARGET_NETWORK;

	if (error < 0 ||
	    (error == 0 && (!is_network || has_shared_locks(text_of(target->fs_type)))))
		return false;
	buf_add_text(text, "other tests of this directory at the same time cannot be seen: ");
	if (error > 0) {
		buf_printf(text, "locks are refused (%s)", strerror((int)error));
	} else {
		buf_add_text(text, "locks on directories of ");
		buf_add_visible(text, text_of(target->fs_type));
		buf_add_text(text, " do not leave this host");
	}
	buf_add_text(advice, "iotest ps on the other hosts shows theirs");
	return true;
}

static bool check_swept(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	if (!text_of(r->run->swept)[0])
		return false;
	buf_add_text(text, "what a run that was killed had left was removed before this one: ");
	buf_add_visible(text, r->run->swept);
	buf_add_text(text, ", ");
	units_add_size(text, r->run->swept_bytes);
	return true;
}

static bool check_unswept(const struct report *r, struct buf *text, struct buf *advice)
{
	if (!text_of(r->run->sweep_failure)[0])
		return false;
	buf_add_text(text, "what runs that were killed may have left could not be dealt with: ");
	buf_add_visible(text, r->run->sweep_failure);
	buf_add_text(advice, "its space is missing here; iotest clean tries again, or remove it "
			     "by hand");
	return true;
}

static bool check_others(const struct report *r, struct buf *text, struct buf *advice)
{
	if (!text_of(r->run->others_left)[0])
		return false;
	buf_add_text(text, "directories of other runs lie in the target: ");
	buf_add_visible(text, r->run->others_left);
	buf_add_text(advice, "the name tells host and process: it may be measuring here, too; if "
			     "it is over, iotest clean on that host removes it");
	return true;
}

const struct judgement alone_judgements[] = {
	{ "no-host-lock", SEVERITY_WARNING, "a second run was not kept out", check_host_lock,
	  "the directory of the lock cannot be made or is not ours alone",
	  "see that /run/iotest (or /tmp for other users) can be written, and run one test at a "
	  "time" },
	{ "late-start", SEVERITY_WARNING, "it began later than --start-at", check_late,
	  "the host was still busy preparing, or its clock differs from the others'",
	  "give a later --start-at; look at the time synchronisation" },
	{ "target-shared", SEVERITY_WARNING, "another test held the lock of the target",
	  check_shared, "another host or user tests the same directory at the same time",
	  "agree on times; the rates are those of all of them together" },
	{ "others-left", SEVERITY_WARNING, "directories of other runs lie in the target",
	  check_others, "other runs are going on, or were killed on another host",
	  "ask their owners; iotest clean on their host removes what dead runs left" },
	{ "sweep-failed", SEVERITY_WARNING, "what a dead run left could not be removed",
	  check_unswept, "the file system refused, or did not answer",
	  "remove the directory by hand, or run iotest clean as its owner" },
	{ "swept", SEVERITY_INFO, "what a dead run left was removed", check_swept,
	  "an earlier run was killed", "nothing: the space is free again" },
	{ "others-unseen", SEVERITY_INFO, "tests of other hosts cannot be seen here", check_unseen,
	  "the file system has no locks that hosts share",
	  "make sure that no other host tests it at the same time" },
};
const size_t n_alone_judgements = ARRAY_LEN(alone_judgements);

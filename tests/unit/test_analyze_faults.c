/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_analyze_faults - the sentence names what failed
 */
#include <errno.h>
#include <signal.h>

#include "proof_record.h"

START_TEST(a_failed_call_is_named_with_its_place_and_cause)
{
	static const struct {
		int kind;
		int op;
		int error;
		const char *want;
	} rows[] = {
		{ PHASE_WRITE, OP_WRITE, EIO,
		  "write worker 2: write failed at offset 4096: Input/output error" },
		{ PHASE_WRITE, OP_FSYNC, EDQUOT,
		  "write worker 2: fsync failed at offset 4096: Disk quota exceeded" },
		{ PHASE_READ, OP_READ, ESTALE,
		  "read worker 2: read failed at offset 4096: Stale file handle" },
		{ PHASE_WRITE, OP_WRITE, ENODATA,
		  "write worker 2: write failed at offset 4096: no byte was taken, and no error "
		  "was told" },
		{ PHASE_READ, OP_READ, ENODATA,
		  "read worker 2: read failed at offset 4096: the file ended there; it was "
		  "truncated or replaced under the test" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct worker_result *w;

		begin();
		w = &run_phase(&rec.run, rows[i].kind)->workers[1];
		w->error = rows[i].error;
		w->error_op = rows[i].op;
		w->error_offset_bytes = 4096;
		run_phase(&rec.run, rows[i].kind)->status = PHASE_FAILED;
		analyze(&rec.report);
		ck_assert_ptr_nonnull(find("worker-failed"));
		ck_assert_str_eq(find("worker-failed")->text, rows[i].want);
		ck_assert_int_eq(rec.report.verdict.result, VERDICT_INVALID);
		ck_assert_int_eq(rec.report.write.usable == 1 || rec.report.read.usable == 1, 0);
		end();
	}
}
END_TEST

START_TEST(what_the_kernel_counted_tells_who_killed)
{
	static const struct {
		int64_t oom_kills;
		int64_t host_oom_kills;
		const char *want;
		const char *advice;
	} rows[] = {
		{ 2, 3,
		  ": memory ran out in its control group (/g/memory.max), where the kernel "
		  "killed 2",
		  "raise the memory limit" },
		{ 0, 3, "; meanwhile the kernel killed 3 processes of this host for lack of memory",
		  "raise the memory limit" },
		{ 0, 0, ": memory did not run out, somebody killed it", "" },
		{ -1, 0, ": memory did not run out, somebody killed it", "" },
		{ -1, -1, "(Killed)", "somebody killed it, or memory ran out" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct phase *phase;

		begin();
		phase = &rec.run.write;
		rec.host.memory_limit_source = xstrdup("/g/memory.max");
		phase->workers[1].exit_signal = SIGKILL;
		phase->workers[1].exit_status = -1;
		phase->status = PHASE_FAILED;
		phase->oom_kills = rows[i].oom_kills;
		phase->host_oom_kills = rows[i].host_oom_kills;
		analyze(&rec.report);
		ck_assert_msg(strstr(find("worker-killed")->text, rows[i].want) != NULL, "%s",
			      find("worker-killed")->text);
		ck_assert_ptr_nonnull(strstr(find("worker-killed")->advice, rows[i].advice));
		ck_assert_int_eq(rec.report.verdict.result, VERDICT_INVALID);
		end();
	}
}
END_TEST

SUITE_MAIN("analyze faults", a_failed_call_is_named_with_its_place_and_cause,
	   what_the_kernel_counted_tells_who_killed)

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_io - io_ops that do what a test says
 */
#include "script_io.h"

#include <errno.h>
#include <time.h>

#include "iotest/compiler.h"

/* Of one gathered or scattered request. */
#define MOST_PAGES 1024

static struct {
	const struct script_rule *rules;
	size_t n_rules;
	bool reaches_system;
	int calls[SCRIPT_CALL_COUNT];
	int64_t clock_ns;
	int64_t bytes;
	int64_t next_at;
	size_t longest;
	bool is_sequential;
	int64_t written_back;
	int pages;
	void (*see)(int64_t at, int64_t len);
} script;

void script_start(const struct script_rule *rules, size_t n)
{
	script.rules = rules;
	script.n_rules = n;
	script.reaches_system = false;
	for (size_t i = 0; i < SCRIPT_CALL_COUNT; i++)
		script.calls[i] = 0;
	script.clock_ns = NS_PER_S;
	script.bytes = 0;
	script.next_at = 0;
	script.longest = 0;
	script.is_sequential = true;
	script.written_back = 0;
	script.pages = 0;
	script.see = NULL;
}

void script_reach_system(void)
{
	script.reaches_system = true;
}

int script_calls(enum script_call call)
{
	return script.calls[call];
}

int64_t script_bytes(void)
{
	return script.bytes;
}

bool script_was_sequential(void)
{
	return script.is_sequential;
}

int64_t script_written_back(void)
{
	return script.written_back;
}

int script_pages(void)
{
	return script.pages;
}

void script_watch(void (*see)(int64_t at, int64_t len))
{
	script.see = see;
}

size_t script_longest_request(void)
{
	return script.longest;
}

static const struct script_rule *rule_for(enum script_call call)
{
	static const struct script_rule none = { .cap_bytes = -1 };
	int number = ++script.calls[call];
	const struct script_rule *rule = &none;

	for (size_t i = 0; i < script.n_rules; i++) {
		const struct script_rule *r = &script.rules[i];

		if (r->call == call && number >= r->from && number <= r->to) {
			rule = r;
			break;
		}
	}
	if (rule->before)
		rule->before();
	if (rule->pause_ns > 0) {
		const struct timespec pause = { .tv_sec = rule->pause_ns / NS_PER_S,
						.tv_nsec = rule->pause_ns % NS_PER_S };

		(void)nanosleep(&pause, NULL);
	}
	return rule;
}

static size_t allowed(const struct script_rule *rule, size_t len)
{
	if (rule->cap_bytes >= 0 && (size_t)rule->cap_bytes < len)
		return (size_t)rule->cap_bytes;
	return len;
}

static ssize_t account(ssize_t n, size_t len, off_t at)
{
	if (len > script.longest)
		script.longest = len;
	script.is_sequential = script.is_sequential && at == script.next_at;
	if (script.see && n > 0)
		script.see(at, n);
	if (n > 0) {
		script.bytes += n;
		script.next_at = at + n;
	}
	return n;
}

static int fail(int error)
{
	errno = error;
	return -1;
}

static ssize_t scripted_pwrite(int fd, const void *data, size_t len, off_t at)
{
	const struct script_rule *rule = rule_for(SCRIPT_PWRITE);
	size_t n = allowed(rule, len);

	if (rule->error)
		return fail(rule->error);
	if (script.reaches_system)
		return account(io_real.pwrite(fd, data, n, at), len, at);
	return account((ssize_t)n, len, at);
}

static ssize_t scripted_pread(int fd, void *data, size_t len, off_t at)
{
	const struct script_rule *rule = rule_for(SCRIPT_PREAD);
	size_t n = allowed(rule, len);

	if (rule->error)
		return fail(rule->error);
	if (script.reaches_system)
		return account(io_real.pread(fd, data, n, at), len, at);
	return account((ssize_t)n, len, at);
}

static size_t total(const struct iovec *pages, int n)
{
	size_t len = 0;

	for (int i = 0; i < n; i++)
		len += pages[i].iov_len;
	script.pages = n;
	return len;
}

/* Cut down to what the rule allows. */
static int cut(struct iovec *to, const struct iovec *pages, int n, size_t len)
{
	int i = 0;

	for (; i < n && len > 0; i++) {
		to[i] = pages[i];
		if (to[i].iov_len > len)
			to[i].iov_len = len;
		len -= to[i].iov_len;
	}
	return i;
}

static ssize_t scripted_pwritev(int fd, const struct iovec *pages, int n, off_t at)
{
	const struct script_rule *rule = rule_for(SCRIPT_PWRITEV);
	size_t len = total(pages, n), may = allowed(rule, len);
	struct iovec some[MOST_PAGES];

	if (rule->error)
		return fail(rule->error);
	if (!script.reaches_system)
		return account((ssize_t)may, len, at);
	return account(io_real.pwritev(fd, some, cut(some, pages, n, may), at), len, at);
}

static ssize_t scripted_preadv(int fd, const struct iovec *pages, int n, off_t at)
{
	const struct script_rule *rule = rule_for(SCRIPT_PREADV);
	size_t len = total(pages, n), may = allowed(rule, len);
	struct iovec some[MOST_PAGES];

	if (rule->error)
		return fail(rule->error);
	if (!script.reaches_system)
		return account((ssize_t)may, len, at);
	return account(io_real.preadv(fd, some, cut(some, pages, n, may), at), len, at);
}

static int scripted_fsync(int fd)
{
	const struct script_rule *rule = rule_for(SCRIPT_FSYNC);

	if (rule->error)
		return fail(rule->error);
	return script.reaches_system ? io_real.fsync(fd) : 0;
}

static int64_t scripted_clock(void)
{
	const struct script_rule *rule = rule_for(SCRIPT_CLOCK);

	if (script.reaches_system)
		return io_real.clock_ns();
	script.clock_ns += NS_PER_MS + rule->step_ns;
	return script.clock_ns;
}

static int scripted_write_back(int fd, off_t at, off_t len, bool wait)
{
	const struct script_rule *rule = rule_for(SCRIPT_WRITE_BACK);

	if (rule->error)
		return fail(rule->error);
	if (wait)
		script.written_back = at + len;
	return script.reaches_system ? io_real.write_back(fd, at, len, wait) : 0;
}

static void scripted_sleep(int64_t until_ns)
{
	(void)rule_for(SCRIPT_SLEEP);
	if (script.reaches_system)
		io_real.sleep_until(until_ns);
	else if (until_ns > script.clock_ns)
		script.clock_ns = until_ns;
}

const struct io_ops script_io = {
	.pwrite = scripted_pwrite,
	.pread = scripted_pread,
	.pwritev = scripted_pwritev,
	.preadv = scripted_preadv,
	.fsync = scripted_fsync,
	.clock_ns = scripted_clock,
	.write_back = scripted_write_back,
	.sleep_until = scripted_sleep,
};

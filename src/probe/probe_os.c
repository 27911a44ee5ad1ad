/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_os - kernel, distribution, limits, clock, product
 */
#include "probe_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "iotest/xalloc.h"

static int uname_write(void *context UNUSED, struct buf *out)
{
	struct utsname u;

	if (uname(&u))
		return -errno;
	buf_printf(out, "sysname=%s\nnodename=%s\nrelease=%s\nversion=%s\nmachine=%s\n", u.sysname,
		   u.nodename, u.release, u.version, u.machine);
	return 0;
}

static void take_fact_text(const char *fact, const char *key, char **out)
{
	CLEANUP(xfree) char *value = NULL;

	if (fact_text(fact, key, &value) == 0 && *value)
		xstr_set(out, value);
}

/* The first of the files that has a text. */
static void take_file(const struct sysroot *root, const char *path, char **out)
{
	CLEANUP(xfree) char *value = NULL;

	if (!*text_of(*out) && sysroot_read_text(root, &value, "%s", path) == 0 && *value)
		xstr_set(out, value);
}

static void take_uname(struct probe *p)
{
	CLEANUP(buf_done) struct buf fact = { 0 };
	struct host *host = p->host;
	int rc;

	rc = probe_fact(p->root, "os/uname", uname_write, NULL, &fact);
	if (rc)
		fact.len = 0;
	take_fact_text(buf_text(&fact), "nodename", &host->name);
	take_fact_text(buf_text(&fact), "release", &host->os.kernel);
	take_fact_text(buf_text(&fact), "machine", &host->cpu.architecture);
	if (!p->root->is_live) {
		take_file(p->root, "/proc/sys/kernel/hostname", &host->name);
		take_file(p->root, "/etc/hostname", &host->name);
		take_file(p->root, "/proc/sys/kernel/osrelease", &host->os.kernel);
	}
	if (!*text_of(host->os.kernel))
		host_note(host, "os", "nothing tells which kernel this is");
}

/* NAME=value of a shell: in quotes of either kind, where a backslash quotes the next byte. */
static char *shell_value(const char *text, size_t len)
{
	struct buf out = { 0 };
	char quote = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (!quote && (text[i] == '"' || text[i] == '\'')) {
			quote = text[i];
		} else if (quote && text[i] == quote) {
			quote = 0;
		} else {
			if (text[i] == '\\' && quote != '\'' && i + 1 < len)
				i++;
			buf_add(&out, text + i, 1);
		}
	}
	return buf_take(&out);
}

static void take_distribution(struct probe *p)
{
	static const char *const paths[] = { "/etc/os-release", "/usr/lib/os-release" };
	static const char *const keys[] = { "PRETTY_NAME=", "NAME=" };
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(paths) && !text.len; i++)
		if (sysroot_read(p->root, &text, "%s", paths[i]))
			continue;
	for (k = 0; k < ARRAY_LEN(keys); k++) {
		const char *at;

		for (at = buf_text(&text); *at; at = next_line(at)) {
			size_t len = strcspn(at, "\r\n");

			if (strncmp(at, keys[k], strlen(keys[k])))
				continue;
			p->host->os.distribution =
				shell_value(at + strlen(keys[k]), len - strlen(keys[k]));
			return;
		}
	}
}

static void add_limit(struct buf *out, const char *key, rlim_t value)
{
	if (value == RLIM_INFINITY || value > INT64_MAX)
		buf_printf(out, "%s=unlimited\n", key);
	else
		buf_printf(out, "%s=%" PRIu64 "\n", key, (uint64_t)value);
}

static int limits_write(void *context UNUSED, struct buf *out)
{
	static const struct {
		const char *name;
		int resource;
	} all[] = {
		{ "fsize", RLIMIT_FSIZE },
		{ "nofile", RLIMIT_NOFILE },
		{ "nproc", RLIMIT_NPROC },
	};
	struct rlimit limit;
	size_t i;

	for (i = 0; i < ARRAY_LEN(all); i++) {
		CLEANUP(xfree) char *hard = xasprintf("%s_hard", all[i].name);

		if (getrlimit(all[i].resource, &limit))
			continue;
		add_limit(out, all[i].name, limit.rlim_cur);
		add_limit(out, hard, limit.rlim_max);
	}
	return 0;
}

static void take_limits(struct probe *p)
{
	CLEANUP(buf_done) struct buf fact = { 0 };
	struct os *os = &p->host->os;

	if (probe_fact(p->root, "os/limits", limits_write, NULL, &fact))
		return;
	os->file_size_limit_bytes = fact_or_unknown(buf_text(&fact), "fsize");
	os->open_files_limit = fact_or_unknown(buf_text(&fact), "nofile");
	os->open_files_hard_limit = fact_or_unknown(buf_text(&fact), "nofile_hard");
	os->processes_limit = fact_or_unknown(buf_text(&fact), "nproc");
}

static int user_write(void *context UNUSED, struct buf *out)
{
	buf_printf(out, "uid=%u\n", (unsigned int)geteuid());
	return 0;
}

static void take_user(struct probe *p)
{
	CLEANUP(buf_done) struct buf fact = { 0 };

	if (probe_fact(p->root, "os/user", user_write, NULL, &fact) == 0)
		p->host->os.uid = fact_or_unknown(buf_text(&fact), "uid");
}

void probe_os(struct probe *p)
{
	struct os *os = &p->host->os;

	take_uname(p);
	take_distribution(p);
	take_limits(p);
	take_user(p);
	take_file(p->root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  &os->clock_source);
	take_file(p->root, "/sys/class/dmi/id/sys_vendor", &os->system_vendor);
	take_file(p->root, "/sys/class/dmi/id/product_name", &os->product);
	take_file(p->root, "/proc/device-tree/model", &os->product);
	probe_guest(p);
}

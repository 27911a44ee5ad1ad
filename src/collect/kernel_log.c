/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_log - what the kernel said of storage, of its whole ring buffer
 *
 * A record of /dev/kmsg is "priority,sequence,microseconds,flags;text", see
 * Documentation/ABI/testing/dev-kmsg. Only lines about storage are kept: others are not ours.
 */
#include "items.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iotest/fd.h"
#include "iotest/xalloc.h"

#define RECORD_MAX 8192
#define RECORDS_MAX 200000
#define KEPT_MAX ((size_t)(48 * KIB))

static const char *const phrases[] = {
	"I/O error",
	"i/o error",
	"critical medium error",
	"critical target error",
	"Buffer I/O",
	"EXT4-fs",
	"XFS (",
	"BTRFS",
	"JBD2",
	"device-mapper",
	"multipath",
	"md/raid",
	"md:",
	"nvme",
	"nfs:",
	"NFS:",
	"rpc:",
	"lustre",
	"Lustre",
	"mmfs",
	"iscsi",
	"connection1:0",
	"rport",
	"FC Host",
	"qla2xxx",
	"lpfc",
	"blocked for more than",
	"Out of memory",
	"oom-kill",
	"Killed process",
	"page allocation failure",
	"Hardware Error",
	"AER:",
	"throttled",
	"abort",
	"timed out",
	"timing out",
	"NIC Link is",
	"Link is Down",
	"link is not ready",
	"SCSI error",
	"[sd",
	"soft lockup",
	"rcu_sched",
};

/* The parts of a name may stand there as well: "sda" in "sda1". So the name must end a word. */
static bool has_word(const char *text, const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_";
	size_t len = strlen(word);

	for (const char *at = strstr(text, word); len && at; at = strstr(at + 1, word)) {
		bool begins = at == text || !strchr(letters, at[-1]);

		if (begins && (!at[len] || !strchr(letters, at[len])))
			return true;
	}
	return false;
}

static bool is_about_storage(const struct host *host, const char *text)
{
	for (size_t i = 0; i < ARRAY_LEN(phrases); i++)
		if (strstr(text, phrases[i]))
			return true;
	for (size_t t = 0; t < host->n_targets; t++)
		for (size_t i = 0; i < host->targets[t].n_devices; i++)
			if (has_word(text, text_of(host->targets[t].devices[i].name)))
				return true;
	return false;
}

/* The newest lines are those that count. */
static void forget_oldest(struct buf *lines)
{
	const char *cut;
	size_t len;

	if (lines->len <= 2 * KEPT_MAX)
		return;
	cut = strchr(lines->data + lines->len - KEPT_MAX, '\n');
	if (!cut)
		return;
	len = lines->len - (size_t)(cut + 1 - lines->data);
	memmove(lines->data, cut + 1, len + 1);
	lines->len = len;
}

/* Adds the record if it is about storage. Returns its number, or last if it is no record. */
static int64_t take_record(const struct host *host, char *record, int64_t last, struct buf *lines)
{
	int64_t seq;
	int64_t at_us;
	int level;
	char *text = strchr(record, ';');
	char *end;

	if (!text || sscanf(record, "%d,%" SCNd64 ",%" SCNd64, &level, &seq, &at_us) != 3)
		return last;
	*text++ = '\0';
	end = strchr(text, '\n');
	if (end)
		*end = '\0';
	if (is_about_storage(host, text)) {
		buf_printf(lines, "%" PRId64 ",%d,%.6f;%s\n", seq, level & 7, (double)at_us / 1e6,
			   text);
		forget_oldest(lines);
	}
	return seq;
}

int kernel_log_fill(const struct host *host, struct buf *out)
{
	CLEANUP(fd_close) int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	CLEANUP(buf_done) struct buf lines = { 0 };
	char record[RECORD_MAX + 1];
	int64_t last = -1;

	if (fd < 0)
		return -errno;
	for (int i = 0; i < RECORDS_MAX; i++) {
		ssize_t n = read(fd, record, RECORD_MAX);

		/* EPIPE: it was overwritten under us, and the next read goes on after it. */
		if (n < 0 && (errno == EPIPE || errno == EINTR || errno == EINVAL))
			continue;
		if (n <= 0)
			break;
		record[n] = '\0';
		last = take_record(host, record, last, &lines);
	}
	buf_printf(out, "last=%" PRId64 "\n%s", last, buf_text(&lines));
	return 0;
}

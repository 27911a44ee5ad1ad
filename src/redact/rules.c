/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules - what is known by where it stands: behind a key, or as all of a file
 */
#include "marks.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include "iotest/compiler.h"
#include "iotest/xalloc.h"

/* Where the value ends. A blank in a key stands for any white space. */
#define VALUE " \t\n,;\"'<>\\&)}"
#define QUOTED "\n\"\\"
#define NAME " \t\n,;:/\"'<>\\&)}"
#define LINE "\n"

static const struct rule {
	const char *file; /* fnmatch(3); NULL: any */
	const char *key;
	const char *end;
	int kind;
	const char *then; /* what has to follow the value; NULL: anything */
} rules[] = {
	{ NULL, "password=", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "password = ", LINE, REDACTED_SECRET, NULL },
	{ NULL, "password: ", LINE, REDACTED_SECRET, NULL },
	{ NULL, "--password ", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "passwd=", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "passphrase=", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "password_in=", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "pass=", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "pwd=", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "pw=", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "pw = ", LINE, REDACTED_SECRET, NULL },
	{ NULL, "secret=", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "secret_key=", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "access_key=", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "api_key=", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "apikey=", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "token=", VALUE, REDACTED_SECRET, NULL },
	{ NULL, "://", " \t\n/@\"'", REDACTED_SECRET, "@" },
	{ NULL, "username=", VALUE, REDACTED_USER, NULL },
	{ NULL, "user=", VALUE, REDACTED_USER, NULL },
	{ NULL, "/home/", NAME, REDACTED_USER, NULL },
	{ NULL, "\"serial\": \"", QUOTED, REDACTED_SERIAL, NULL },
	{ "*proc/cpuinfo", "serial : ", LINE, REDACTED_SERIAL, NULL },
	{ "*proc/sysinfo", "sequence code: ", LINE, REDACTED_SERIAL, NULL },
	{ "*topology.xml", "serial\" value=\"", QUOTED, REDACTED_SERIAL, NULL },
	{ "*topology.xml", "serialnumber\" value=\"", QUOTED, REDACTED_SERIAL, NULL },
	{ "*topology.xml", "dmiproductserial\" value=\"", QUOTED, REDACTED_SERIAL, NULL },
	{ "*topology.xml", "dmiboardserial\" value=\"", QUOTED, REDACTED_SERIAL, NULL },
	{ "*topology.xml", "dmichassisserial\" value=\"", QUOTED, REDACTED_SERIAL, NULL },
	{ "*topology.xml", "dmichassisassettag\" value=\"", QUOTED, REDACTED_SERIAL, NULL },
	{ "*topology.xml", "dmiboardassettag\" value=\"", QUOTED, REDACTED_SERIAL, NULL },
	{ "*topology.xml", "hostname\" value=\"", QUOTED, REDACTED_HOST, NULL },
	{ "*os/uname", "nodename=", LINE, REDACTED_HOST, NULL },
	{ "*.json", "\"host\": { \"name\": \"", QUOTED, REDACTED_HOST, NULL },
	{ "*proc/self/mountinfo", " - nfs ", NAME, REDACTED_HOST, ":/" },
	{ "*proc/self/mountinfo", " - nfs4 ", NAME, REDACTED_HOST, ":/" },
	{ "*proc/self/mountinfo", " - ceph ", NAME, REDACTED_HOST, ":" },
	{ "*proc/self/mountinfo", " - cifs //", NAME, REDACTED_HOST, "/" },
	{ "*proc/self/mountinfo", " - smb3 //", NAME, REDACTED_HOST, "/" },
	{ "*proc/self/mountinfo", " - lustre ", " @\n", REDACTED_HOST, "@" },
	{ "*proc/self/mountinfo", " - fuse.sshfs ", NAME, REDACTED_HOST, ":" },
	{ "*proc/self/mountstats", "device ", NAME, REDACTED_HOST, ":/" },
	{ "*.json", "\"mount_source\": \"", NAME, REDACTED_HOST, ":/" },
};

/* All that is in it, but for what stands before the dash of a dm UUID: it tells the type. */
static const struct {
	const char *file;
	int kind;
	bool after_dash;
} files[] = {
	{ "*/serial", REDACTED_SERIAL, false },
	{ "*/vpd_pg80", REDACTED_SERIAL, false },
	{ "*/port_name", REDACTED_WWN, false },
	{ "*/node_name", REDACTED_WWN, false },
	{ "*/fabric_name", REDACTED_WWN, false },
	{ "*/targetname", REDACTED_WWN, false },
	{ "*/subsysnqn", REDACTED_WWN, false },
	{ "*/device/wwid", REDACTED_WWN, false },
	{ "*/iscsi_connection/*/address", REDACTED_ADDRESS, false },
	{ "*/iscsi_connection/*/persistent_address", REDACTED_ADDRESS, false },
	{ "*/dm/uuid", REDACTED_UUID, true },
};

/* How much of the text the key takes; 0: it does not stand there. */
static size_t key_len(const char *key, const char *text, size_t len)
{
	size_t at = 0;

	for (; *key; key++) {
		if (*key == ' ') {
			while (at < len && isspace((unsigned char)text[at]))
				at++;
			continue;
		}
		if (at >= len || tolower((unsigned char)text[at]) != *key)
			return 0;
		at++;
	}
	return at;
}

static bool follows(const char *then, const char *text, size_t len)
{
	size_t n = then ? strlen(then) : 0;

	return n <= len && (n == 0 || memcmp(text, then, n) == 0);
}

static bool try_rule(const struct rule *rule, const char *text, size_t len, size_t at,
		     struct mark *out)
{
	size_t n = key_len(rule->key, text + at, len - at);
	size_t start = at + n;
	size_t end = start;

	if (!n)
		return false;
	while (end < len && text[end] && !strchr(rule->end, text[end]))
		end++;
	if (end == start || !follows(rule->then, text + end, len - end))
		return false;
	*out = (struct mark){ rule->kind, start, end - start };
	return true;
}

/* Keys are words of their own: "mypassword=" may be, "compass=" is not. */
static bool may_begin(const char *key, const char *text, size_t at)
{
	return at == 0 || !isalnum((unsigned char)key[0]) || !isalnum((unsigned char)text[at - 1]);
}

bool mark_at(const char *path, const char *text, size_t len, size_t at, struct mark *out)
{
	char first = (char)tolower((unsigned char)text[at]);

	for (size_t i = 0; path && i < ARRAY_LEN(rules); i++) {
		const struct rule *rule = &rules[i];

		if ((rule->key[0] != first &&
		     !(rule->key[0] == ' ' && isspace((unsigned char)first))) ||
		    !may_begin(rule->key, text, at))
			continue;
		if (try_rule(rule, text, len, at, out) &&
		    (!rule->file || fnmatch(rule->file, path, 0) == 0))
			return true;
	}
	return mark_pattern(text, len, at, out);
}

bool mark_whole(const char *path, const char *text, size_t len, struct mark *out)
{
	CLEANUP(xfree) char *name = xasprintf("/%s", path);
	size_t start = 0;

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		const char *dash;

		if (fnmatch(files[i].file, name, 0) != 0)
			continue;
		dash = files[i].after_dash ? memchr(text, '-', len) : NULL;
		start = dash ? (size_t)(dash + 1 - text) : 0;
		while (len > start && isspace((unsigned char)text[len - 1]))
			len--;
		while (start < len && isspace((unsigned char)text[start]))
			start++;
		*out = (struct mark){ files[i].kind, start, len - start };
		return len > start;
	}
	return false;
}

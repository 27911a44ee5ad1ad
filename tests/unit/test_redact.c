/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_redact - what is taken out of texts at which level, and what is left alone
 */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#include "iotest/redact.h"
#include "iotest/siphash.h"
#include "iotest/xalloc.h"

static const uint8_t key[16] = { 1, 2, 3 };

static void redactor_free_at(struct redactor **r)
{
	redactor_free(*r);
}

static char *rewritten(struct redactor *r, const char *path, const char *text)
{
	struct buf out = { 0 };

	redactor_learn(r, path, text, strlen(text));
	redactor_rewrite(r, path, text, strlen(text), &out);
	return buf_take(&out);
}

/* "@" in want stands for a token of the kind. */
static const struct {
	const char *path;
	const char *text;
	const char *kind; /* NULL: nothing is taken out */
	const char *gone; /* what may not be left */
	const char *want;
	bool only_public;
} rows[] = {
	{ "x", "addr 02:42:ac:11:00:02 up", "mac", "ac:11", "addr @ up", false },
	{ "x", "at 04:02:05 0000:00:1f.2 254:0", NULL, NULL, NULL, false },
	{ "x", "00:00:00:00:00:00 ff:ff:ff:ff:ff:ff", NULL, NULL, NULL, false },
	{ "sys/class/block/sda/device/serial", "  S4EVNX0M\n", "serial", "S4EV", "  @\n", false },
	{ "x", "rw,username=jdoe4,uid=5", "user", "jdoe4", "rw,username=@,uid=5", false },
	{ "x", "rw,password=a;b", "secret", "=a", "rw,password=@;b", false },
	{ "x", "pw = a b c\nnext", "secret", "a b c", "pw = @\nnext", false },
	{ "x", "iotest --token=abc -t d", "secret", "abc", "iotest --token=@ -t d", false },
	{ "x", "http://me:pw@proxy/", "secret", "me", "http://@@proxy/", false },
	{ "x", "compass=north", NULL, NULL, NULL, false },
	{ "x", "/home/jdoe4/saswork", "user", "jdoe4", "/home/@/saswork", false },
	{ "x", "username=root", NULL, NULL, NULL, false },
	{ "system_files/os/uname", "nodename=saswork03\nx", "host", "saswork03", "nodename=@\nx",
	  true },
	{ "x.json", "\"host\": {\n    \"name\": \"vm\",", "host", "vm",
	  "\"host\": {\n    \"name\": \"@\",", true },
	{ "x", "from 10.1.2.3:/x", "addr", "10.1", "from @:/x", true },
	{ "x", "fe80::1ff:fe23:4567:890a up", "addr", "fe80", "@ up", true },
	{ "x", "2001:db8::1 up", "addr", "db8", "@ up", true },
	{ "x", "127.0.0.1 0.0.0.0 1.2.3 5.14.0-427.13.1.el9 10.2.3.4.5 300.1.1.1", NULL, NULL, NULL,
	  true },
	{ "x", "0x5000c500a1b2c3d4 y", "wwn", "c500", "@ y", true },
	{ "x", "naa.5000c500a1b2c3d4", "wwn", "c500", "@", true },
	{ "x", "mpath-3600508b400105e210000900000490000x", NULL, NULL, NULL, true },
	{ "x", "mpath-3600508b400105e210000900000490000", "wwn", "0508", "mpath-@", true },
	{ "x", "iqn.2001-04.com.example:disk1 y", "wwn", "example", "@ y", true },
	{ "x", "id d8d511ae-2c2b-4b9d-8cc7-8491cc2161d7.", "uuid", "d511", "id @.", true },
	{ "sys/class/block/dm-0/dm/uuid", "LVM-abcDEF123\n", "uuid", "abcDEF", "LVM-@\n", true },
	{ "x/proc/self/mountinfo", "1 2 0:5 / /d rw - nfs4 nas:/x rw", "host", "nas",
	  "1 2 0:5 / /d rw - nfs4 @:/x rw", true },
	{ "x", "run 0123456789abcdef0123456789abcdef", NULL, NULL, NULL, true },
};

START_TEST(forms_and_keys_are_known)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(redactor_free_at) struct redactor *r = redactor_new(REDACT_PUBLIC, key);
		CLEANUP(xfree) char *got = rewritten(r, rows[i].path, rows[i].text);
		const char *at = rows[i].kind ? strchr(rows[i].want, '@') : NULL;
		size_t before = at ? (size_t)(at - rows[i].want) : 0;

		if (!rows[i].kind) {
			ck_assert_str_eq(got, rows[i].text);
			continue;
		}
		ck_assert_msg(!strstr(got, rows[i].gone), "row %zu: %s", i, got);
		ck_assert_msg(!strncmp(got, rows[i].want, before), "row %zu: %s", i, got);
		ck_assert_msg(!strncmp(got + before, rows[i].kind, strlen(rows[i].kind)),
			      "row %zu: %s", i, got);
		ck_assert_msg(!strcmp(got + before + strlen(rows[i].kind) + 9, at + 1),
			      "row %zu: %s", i, got);
	}
}
END_TEST

START_TEST(hosts_and_addresses_stay_for_support)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(redactor_free_at) struct redactor *r = redactor_new(REDACT_SUPPORT, key);
		CLEANUP(xfree) char *got = rewritten(r, rows[i].path, rows[i].text);
		bool is_changed = rows[i].kind && !rows[i].only_public;

		ck_assert_msg(!strcmp(got, rows[i].text) == !is_changed, "row %zu: %s", i, got);
	}
}
END_TEST

START_TEST(nothing_is_changed_for_none)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(redactor_free_at) struct redactor *r = redactor_new(REDACT_NONE, key);
		CLEANUP(xfree) char *got = rewritten(r, rows[i].path, rows[i].text);

		ck_assert_str_eq(got, rows[i].text);
	}
}
END_TEST

START_TEST(what_was_learned_in_one_file_is_taken_out_of_all)
{
	CLEANUP(redactor_free_at) struct redactor *r = redactor_new(REDACT_SUPPORT, key);
	CLEANUP(xfree) char *one = rewritten(r, "sys/block/sda/device/serial", "S4EVNX0M77\n");
	CLEANUP(xfree) char *other = rewritten(r, "report.txt", "disk s4evnx0m77, xS4EVNX0M77y");
	CLEANUP(xfree) char *want = NULL;

	one[strlen(one) - 1] = '\0';
	want = xasprintf("disk %s, x%sy", one, one);
	ck_assert_str_eq(other, want);
}
END_TEST

START_TEST(the_same_key_makes_the_same_tokens)
{
	static const uint8_t other_key[16] = { 9 };
	CLEANUP(redactor_free_at) struct redactor *a = redactor_new(REDACT_PUBLIC, key);
	CLEANUP(redactor_free_at) struct redactor *b = redactor_new(REDACT_PUBLIC, key);
	CLEANUP(redactor_free_at) struct redactor *c = redactor_new(REDACT_PUBLIC, other_key);
	CLEANUP(xfree) char *one = redactor_token(a, REDACTED_HOST, "node1");
	CLEANUP(xfree) char *two = redactor_token(b, REDACTED_HOST, "NODE1");
	CLEANUP(xfree) char *three = redactor_token(c, REDACTED_HOST, "node1");

	ck_assert_str_eq(one, two);
	ck_assert_str_ne(one, three);
}
END_TEST

START_TEST(a_user_called_sas_does_not_change_every_text)
{
	CLEANUP(redactor_free_at) struct redactor *r = redactor_new(REDACT_PUBLIC, key);
	CLEANUP(xfree) char *got = NULL;

	redactor_add(r, REDACTED_USER, "sas");
	got = rewritten(r, "x", "/data/sas is for sas; username=sas");
	ck_assert_int_eq(strncmp(got, "/data/sas is for sas; username=user-",
				 strlen("/data/sas is for sas; username=user-")),
			 0);
	ck_assert_ptr_null(redactor_leak(r, got, strlen(got)));
}
END_TEST

START_TEST(a_host_is_known_with_and_without_its_domain)
{
	CLEANUP(redactor_free_at) struct redactor *r = redactor_new(REDACT_PUBLIC, key);
	CLEANUP(xfree) char *got = NULL;

	redactor_add(r, REDACTED_HOST, "prodnode.example.net");
	got = rewritten(r, "x", "prodnode.example.net, prodnode, otherprodnode");
	ck_assert_ptr_null(strstr(got, "example"));
	ck_assert_ptr_null(strstr(got, " prodnode"));
	ck_assert_ptr_nonnull(strstr(got, "otherprodnode"));
}
END_TEST

START_TEST(names_of_files_lose_only_what_is_distinctive)
{
	CLEANUP(redactor_free_at) struct redactor *r = redactor_new(REDACT_PUBLIC, key);
	CLEANUP(buf_done) struct buf out = { 0 };
	static const char path[] = "dev/mapper/3600508b400105e210000900000490000.link";

	redactor_add(r, REDACTED_USER, "mapper");
	redactor_rewrite(r, NULL, path, strlen(path), &out);
	ck_assert_int_eq(strncmp(buf_text(&out), "dev/mapper/wwn-", 15), 0);
	ck_assert_ptr_nonnull(strstr(buf_text(&out), ".link"));
}
END_TEST

/* Written in another way, or broken by the end of a line. */
START_TEST(what_is_left_of_a_distinctive_value_is_found)
{
	CLEANUP(redactor_free_at) struct redactor *r = redactor_new(REDACT_SUPPORT, key);
	static const char broken[] = "serial S4EV\nNX0M77 of sda";
	static const char clean[] = "serial-0102abcd of sda";

	redactor_add(r, REDACTED_SERIAL, "S4EVNX0M77");
	ck_assert_str_eq(redactor_leak(r, broken, strlen(broken)), "serial");
	ck_assert_ptr_null(redactor_leak(r, clean, strlen(clean)));
}
END_TEST

START_TEST(the_map_tells_what_tokens_stand_for)
{
	CLEANUP(redactor_free_at) struct redactor *r = redactor_new(REDACT_SUPPORT, key);
	CLEANUP(xfree) char *token = redactor_token(r, REDACTED_MAC, "02:42:ac:11:00:02");
	CLEANUP(xfree) char *line = xasprintf("%s\tmac\t02:42:ac:11:00:02\n", token);
	CLEANUP(buf_done) struct buf map = { 0 };
	CLEANUP(buf_done) struct buf summary = { 0 };

	redactor_add(r, REDACTED_HOST, "not wanted");
	redactor_add_map(r, &map);
	redactor_add_summary(r, &summary);
	ck_assert_str_eq(buf_text(&map), line);
	ck_assert_str_eq(buf_text(&summary), "mac 1");
}
END_TEST

/* The first test vectors of its authors. */
START_TEST(siphash_is_siphash)
{
	uint8_t k[16];
	uint8_t data[15];

	for (uint8_t i = 0; i < 16; i++)
		k[i] = i;
	for (uint8_t i = 0; i < 15; i++)
		data[i] = i;
	ck_assert_uint_eq(siphash(k, data, 0), 0x726fdb47dd0e0e31ULL);
	ck_assert_uint_eq(siphash(k, data, 15), 0xa129ca6149be45e5ULL);
}
END_TEST

SUITE_MAIN("redact", forms_and_keys_are_known, hosts_and_addresses_stay_for_support,
	   nothing_is_changed_for_none, what_was_learned_in_one_file_is_taken_out_of_all,
	   the_same_key_makes_the_same_tokens, a_user_called_sas_does_not_change_every_text,
	   a_host_is_known_with_and_without_its_domain,
	   names_of_files_lose_only_what_is_distinctive,
	   what_is_left_of_a_distinctive_value_is_found, the_map_tells_what_tokens_stand_for,
	   siphash_is_siphash)

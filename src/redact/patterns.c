/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patterns - what is known by its form alone
 */
#include "marks.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "iotest/compiler.h"

/* What is left of a text. */
struct rest {
	const char *at;
	size_t len;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t count_hex(struct rest r)
{
	size_t n = 0;

	while (n < r.len && isxdigit((unsigned char)r.at[n]))
		n++;
	return n;
}

static size_t count_word(struct rest r, const char *more)
{
	size_t n = 0;

	while (n < r.len && r.at[n] && (is_word(r.at[n]) || strchr(more, r.at[n])))
		n++;
	return n;
}

static bool begins(struct rest r, const char *with)
{
	size_t len = strlen(with);

	return r.len >= len && strncasecmp(r.at, with, len) == 0;
}

/* Groups of so many hex digits, with that character between them. Returns the length or 0. */
static size_t groups(struct rest r, const int *digits, size_t n, char between)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		if (i > 0 && (at >= r.len || r.at[at] != between))
			return 0;
		if (i > 0)
			at++;
		if (count_hex((struct rest){ r.at + at, r.len - at }) != (size_t)digits[i])
			return 0;
		at += (size_t)digits[i];
	}
	return at;
}

/* Of nobody: all digits alike. */
static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (is_word(text[i]) && text[i] != text[0])
			return false;
	return true;
}

static size_t match_mac(struct rest r)
{
	static const int digits[] = { 2, 2, 2, 2, 2, 2 };
	size_t len = groups(r, digits, ARRAY_LEN(digits), ':');

	if (!len)
		len = groups(r, digits, ARRAY_LEN(digits), '-');
	/* A part of something longer, as the hardware address of InfiniBand, counts as well. */
	while (len && len + 2 < r.len && r.at[len] == r.at[2] &&
	       count_hex((struct rest){ r.at + len + 1, r.len - len - 1 }) == 2)
		len += 3;
	return len && !is_blank(r.at, len) ? len : 0;
}

static size_t match_uuid(struct rest r)
{
	static const int digits[] = { 8, 4, 4, 4, 12 };
	static const int md_digits[] = { 8, 8, 8, 8 };
	size_t len = groups(r, digits, ARRAY_LEN(digits), '-');

	return len ? len : groups(r, md_digits, ARRAY_LEN(md_digits), ':');
}

/* 16 or 32 digits behind a prefix; 33 with the leading 3 of scsi_id. */
static size_t match_wwn(struct rest r)
{
	static const char *const prefixes[] = { "naa.", "eui.", "0x" };

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		size_t skip = strlen(prefixes[i]);
		size_t n;

		if (!begins(r, prefixes[i]))
			continue;
		n = count_hex((struct rest){ r.at + skip, r.len - skip });
		if ((n == 16 || n == 32) && (skip > 2 || strchr("1256", r.at[skip])))
			return skip + n;
	}
	return r.len && r.at[0] == '3' && count_hex(r) == 33 ? 33 : 0;
}

/* "iqn.2001-04.com.example:disk", "nqn.2014-08.org.nvmexpress:uuid:..." */
static size_t match_storage_name(struct rest r)
{
	if ((!begins(r, "iqn.") && !begins(r, "nqn.")) || r.len < 12 ||
	    !isdigit((unsigned char)r.at[4]))
		return 0;
	return count_word(r, ".:-");
}

/* Identifiers that are made of model and serial number. */
static size_t match_serial_name(struct rest r)
{
	size_t n;

	if (begins(r, "t10.")) {
		for (n = 4; n < r.len && !strchr("\n\"", r.at[n]); n++)
			;
		return n;
	}
	if (!begins(r, "nvme.") || count_hex((struct rest){ r.at + 5, r.len - 5 }) != 4)
		return 0;
	return count_word(r, ".-");
}

static size_t match_ipv4(struct rest r)
{
	size_t at = 0;

	for (int i = 0; i < 4; i++) {
		int value = 0;
		size_t from;

		if (i > 0 && (at >= r.len || r.at[at++] != '.'))
			return 0;
		for (from = at; at < r.len && at < from + 3 && isdigit((unsigned char)r.at[at]);
		     at++)
			value = value * 10 + r.at[at] - '0';
		if (at == from || value > 255)
			return 0;
	}
	/* Versions have five parts, or go on in letters. */
	if (at < r.len && (is_word(r.at[at]) ||
			   (strchr(".-", r.at[at]) && at + 1 < r.len && is_word(r.at[at + 1]))))
		return 0;
	return begins(r, "127.") || begins(r, "0.0.0.0") || begins(r, "255.255.") ? 0 : at;
}

/* With "::" or all eight groups: times and PCI addresses have colons, too. */
static size_t match_ipv6(struct rest r)
{
	size_t at = 0, n_groups = 0;
	bool has_gap = false;

	while (at < r.len) {
		size_t n = count_hex((struct rest){ r.at + at, r.len - at });

		if (n > 4)
			return 0;
		n_groups += n > 0;
		at += n;
		if (at >= r.len || r.at[at] != ':')
			break;
		at++;
		if (at < r.len && r.at[at] == ':' && !has_gap) {
			has_gap = true;
			at++;
		} else if (at >= r.len || !isxdigit((unsigned char)r.at[at])) {
			at--;
			break;
		}
	}
	return (has_gap && n_groups >= 3) || (!has_gap && n_groups == 8) ? at : 0;
}

/* In this order: the longer forms first. */
static const struct {
	int kind;
	size_t (*match)(struct rest r);
} patterns[] = {
	{ REDACTED_UUID, match_uuid },
	{ REDACTED_MAC, match_mac },
	{ REDACTED_WWN, match_wwn },
	{ REDACTED_WWN, match_storage_name },
	{ REDACTED_SERIAL, match_serial_name },
	{ REDACTED_ADDRESS, match_ipv4 },
	{ REDACTED_ADDRESS, match_ipv6 },
};

bool mark_pattern(const char *text, size_t len, size_t at, struct mark *out)
{
	const struct rest r = { text + at, len - at };

	/* Only where a word begins. */
	if (!is_word(text[at]) || (at > 0 && is_word(text[at - 1])))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		size_t n = patterns[i].match(r);

		if (!n || (n < r.len && is_word(r.at[n])))
			continue;
		/* The end of a version is no address. */
		if (patterns[i].kind == REDACTED_ADDRESS && at > 0 && strchr(".:", text[at - 1]))
			continue;
		*out = (struct mark){ patterns[i].kind, at, n };
		return true;
	}
	return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify - whether a bundle is as it was when it was sealed
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iotest/bundle.h"
#include "iotest/commands.h"
#include "iotest/render.h"
#include "iotest/wrap.h"

struct verify_args {
	const char *digest;
};

static const struct cli_option options[] = {
	{ .name = "digest",
	  .type = CLI_TEXT,
	  .offset = offsetof(struct verify_args, digest),
	  .value = "HEX",
	  .help = "the digest that the archive must have, from syslog or the ticket" },
};

static int check_given(const char *digest, struct err *err)
{
	size_t len = strlen(digest);

	if (len == DIGEST_TEXT_SIZE - 1 && strspn(digest, "0123456789abcdefABCDEF") == len)
		return 0;
	return err_usage(err, "--digest: '%s' is not a digest of %d hex digits", digest,
			 DIGEST_TEXT_SIZE - 1);
}

static void add_differences(const struct bundle_check *check, struct buf *out)
{
	for (size_t i = 0; i < check->n_differences; i++) {
		buf_add_text(out, "  ");
		buf_add_visible(out, check->differences[i].path);
		buf_printf(out, " %s\n", check->differences[i].text);
	}
}

/* Where else the digest stands: on the host that made it, by the id of its run. */
static void add_elsewhere(const struct bundle_check *check, const char *path, struct buf *out)
{
	const struct bundle_file *json = bundle_content_find(&check->content, "report.json");
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(buf_done) struct buf line = { 0 };
	CLEANUP(buf_done) struct buf visible = { 0 };
	struct err ignored = { 0 };

	buf_add_text(&line, "This shows damage, not forgery: who can write the bundle can write "
			    "its digests. The digest of the archive also stands in the ticket "
			    "text and in syslog");
	if (json && !render_read_json(json->data, json->len, path, &records, &ignored) &&
	    records.n_items) {
		buf_printf(&line, " of %s, with run ", text_of(records.items[0]->host.name));
		buf_add_text(&line, text_of(records.items[0]->run.id));
	}
	buf_add_text(&line, "; --digest compares.");
	buf_add_visible(&visible, buf_text(&line));
	buf_add_text(out, "  ");
	wrap_add(out, 2, 2, visible.data, visible.len);
}

static bool is_digest_right(const struct bundle_check *check, const char *given, struct buf *out)
{
	if (!check->content.digest[0]) {
		buf_add_text(out, "  sha256   none: this is a folder, not the archive");
		buf_add_text(out, given ? ", so that the given one was not compared\n" : "\n");
		return given == NULL;
	}
	buf_printf(out, "  sha256   %s\n", check->content.digest);
	if (!given || strcasecmp(given, check->content.digest) == 0)
		return true;
	buf_printf(out, "  but not  %s\n", given);
	return false;
}

static bool add_result(const struct bundle_check *check, const char *path, const char *given,
		       struct buf *out)
{
	bool is_right;

	buf_add_visible(out, path);
	if (check->n_differences)
		buf_printf(out, ": DAMAGED, %zu of its files are not what MANIFEST says\n",
			   check->n_differences);
	else
		buf_printf(out, ": intact, %zu files match their digests\n",
			   check->content.n_files);
	add_differences(check, out);
	is_right = is_digest_right(check, given, out);
	add_elsewhere(check, path, out);
	return is_right && !check->n_differences;
}

static int verify_main(int argc, char **argv, struct err *err)
{
	struct verify_args args = { 0 };
	CLEANUP(cli_words_done) struct cli_words words = { 0 };
	CLEANUP(bundle_check_done) struct bundle_check check = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	bool is_good;
	int rc;

	rc = cli_parse(&cmd_verify, argc, argv, &args, &words, err);
	if (!rc && words.n_items != 1)
		rc = err_usage(err, words.n_items ? "one bundle at a time" : "no bundle given");
	if (!rc && args.digest)
		rc = check_given(args.digest, err);
	if (rc)
		return rc;
	rc = bundle_verify(words.items[0], &check, err);
	if (rc == -EBADMSG)
		err->status = EXIT_STATUS_UNUSABLE;
	if (rc)
		return rc;
	is_good = add_result(&check, words.items[0], args.digest, &page);
	fwrite(buf_text(&page), 1, page.len, stdout);
	return is_good ? EXIT_STATUS_DONE : EXIT_STATUS_UNUSABLE;
}

const struct command cmd_verify = {
	.name = "verify",
	.synopsis = "BUNDLE|DIR [options]",
	.summary = "check every digest of a bundle, and name what changed",
	.details =
		"Ends with 0 if all files are as they were, with 4 if one was changed, is missing "
		"or was added, or if the bundle is truncated or has another digest.",
	.options = options,
	.n_options = ARRAY_LEN(options),
	.main = verify_main,
};

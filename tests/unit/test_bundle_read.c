/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading bundles that are damaged, changed, hostile or none
 */
#include "bundle/archiver.h"
#include "bundle/content.h"
#include "bundle_scratch.h"

#define STEM "iotest_host_20260131-120000"
#define ARCHIVE STEM ".tar.gz"

static void make_bundle(const struct scratch *s, bool keep_dir)
{
	struct bundle b = { 0 };

	open_bundle_in(s, STEM, &b);
	put_text(&b, "iotest.log", "2026-01-31T12:00:00.123Z note started\n");
	put_text(&b, "report.json", "{\"schema\":\"iotest.report/1\"}\n");
	put_text(&b, "results/write.0", "bytes=67108864 ns=1000000\n");
	seal(&b, keep_dir, keep_dir);
	bundle_done(&b);
}

static int read_it(const struct scratch *s, const char *name, struct bundle_content *out,
		   struct err *err)
{
	char path[PATH_MAX];

	return bundle_read(scratch_path(s, path, name), out, err);
}

/* Must be refused, with a sentence that names the bundle and says that. */
static void assert_refused(const struct scratch *s, const char *name, const char *says)
{
	struct bundle_content c = { 0 };
	struct err err = { 0 };
	char path[PATH_MAX];

	ck_assert_int_lt(read_it(s, name, &c, &err), 0);
	ck_assert_ptr_null(c.files);
	ck_assert_ptr_nonnull(strstr(err.sentence, scratch_path(s, path, name)));
	ck_assert_msg(strstr(err.sentence, says) != NULL, "'%s' lacks '%s'", err.sentence, says);
}

START_TEST(every_truncation_is_an_error)
{
	struct scratch s = scratch_make();
	size_t len;
	char *data;

	make_bundle(&s, false);
	data = scratch_read(&s, ARCHIVE, &len);
	for (size_t n = 0; n < len; n++) {
		struct bundle_content c = { 0 };
		struct err err = { 0 };

		scratch_write(&s, "cut.tar.gz", data, n);
		ck_assert_msg(read_it(&s, "cut.tar.gz", &c, &err) < 0, "%zu of %zu bytes", n, len);
		ck_assert_msg(strstr(err.sentence, "truncated or damaged") != NULL,
			      "%zu of %zu bytes: %s", n, len, err.sentence);
	}
	free(data);
	scratch_remove(&s);
}
END_TEST

static bool is_same_content(const struct bundle_content *a, const struct bundle_content *b)
{
	if (a->n_files != b->n_files)
		return false;
	for (size_t i = 0; i < a->n_files; i++)
		if (strcmp(a->files[i].path, b->files[i].path) != 0 ||
		    a->files[i].len != b->files[i].len ||
		    memcmp(a->files[i].data, b->files[i].data, a->files[i].len) != 0)
			return false;
	return true;
}

/*
 * Some bits say nothing about the content: time, operating system and level in the gzip header,
 * the checksum behind the data, which libarchive does not look at, padding in the tar. Then what is
 * read must be what was written, byte by byte.
 */
START_TEST(flipped_bit_is_an_error_or_changes_nothing)
{
	struct scratch s = scratch_make();
	struct bundle_content good = { 0 };
	size_t n_harmless = 0;
	size_t len;
	char *data;

	make_bundle(&s, false);
	ck_assert_int_eq(read_it(&s, ARCHIVE, &good, NULL), 0);
	data = scratch_read(&s, ARCHIVE, &len);
	for (size_t bit = 0; bit < 8 * len; bit++) {
		struct bundle_content c = { 0 };
		struct err err = { 0 };
		char mask = (char)(1 << bit % 8);

		data[bit / 8] = (char)(data[bit / 8] ^ mask);
		scratch_write(&s, "flip.tar.gz", data, len);
		if (read_it(&s, "flip.tar.gz", &c, &err) == 0) {
			ck_assert_msg(is_same_content(&good, &c), "bit %zu", bit);
			n_harmless++;
		} else {
			ck_assert_str_ne(err.sentence, "");
		}
		bundle_content_done(&c);
		data[bit / 8] = (char)(data[bit / 8] ^ mask);
	}
	printf("%zu of %zu flipped bits changed nothing\n", n_harmless, 8 * len);
	ck_assert_uint_lt(n_harmless, 8 * len / 4);
	free(data);
	bundle_content_done(&good);
	scratch_remove(&s);
}
END_TEST

START_TEST(flipped_bit_in_a_kept_folder_is_an_error)
{
	static const char *const files[] = { "report.json", "MANIFEST" };
	struct scratch s = scratch_make();

	make_bundle(&s, true);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char path[PATH_MAX];
		size_t len;
		char *data;

		snprintf(path, sizeof(path), STEM "/%s", files[i]);
		data = scratch_read(&s, path, &len);
		for (size_t bit = 0; bit < 8 * len; bit++) {
			struct bundle_content c = { 0 };
			char mask = (char)(1 << bit % 8);
			/* The name in the first line: a kept folder may be renamed. */
			bool is_name = i == 1 && bit / 8 >= strlen("# iotest bundle ") &&
				       bit / 8 < strlen("# iotest bundle " STEM);

			data[bit / 8] = (char)(data[bit / 8] ^ mask);
			scratch_write(&s, path, data, len);
			if (!is_name)
				ck_assert_msg(read_it(&s, STEM, &c, NULL) < 0, "%s: bit %zu",
					      files[i], bit);
			data[bit / 8] = (char)(data[bit / 8] ^ mask);
		}
		scratch_write(&s, path, data, len);
		free(data);
	}
	scratch_remove(&s);
}
END_TEST

START_TEST(kept_folder_reads_as_its_archive_does)
{
	struct scratch s = scratch_make();
	struct bundle_content archive = { 0 };
	struct bundle_content folder = { 0 };
	struct bundle b = { 0 };

	open_bundle_in(&s, STEM, &b);
	put_text(&b, "a/b", "1");
	put_text(&b, "a-b", "2");
	seal(&b, false, true);
	ck_assert_int_eq(read_it(&s, ARCHIVE, &archive, NULL), 0);
	ck_assert_int_eq(read_it(&s, STEM, &folder, NULL), 0);
	ck_assert(is_same_content(&archive, &folder));
	ck_assert(archive.is_checked && folder.is_checked);
	ck_assert_str_eq(folder.files[1].path, "a-b");
	bundle_content_done(&archive);
	bundle_content_done(&folder);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(partial_folder_is_read_unchecked)
{
	struct scratch s = scratch_make();
	struct bundle_content c = { 0 };
	struct bundle b = { 0 };

	open_bundle_in(&s, STEM, &b);
	put_text(&b, "iotest.log", "started\n");
	ck_assert_int_eq(read_it(&s, STEM ".partial", &c, NULL), 0);
	ck_assert(!c.is_checked);
	ck_assert_uint_eq(c.n_files, 1);
	ck_assert_str_eq(c.files[0].data, "started\n");
	bundle_content_done(&c);
	ck_assert_int_eq(fchdir(b.dir_fd), 0);
	ck_assert_int_eq(bundle_read(".", &c, NULL), 0);
	bundle_content_done(&c);
	ck_assert_int_eq(chdir("/"), 0);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(changed_folder_is_refused_and_the_file_named)
{
	static const struct {
		const char *command, *says;
	} rows[] = {
		{ "echo >>report.json", "report.json was changed: its size" },
		{ "sed -i s/1000000/2000000/ results/write.0",
		  "results/write.0 was changed: its SHA-256" },
		{ "rm results/write.0", "results/write.0 is missing" },
		{ "rm -r results", "results/write.0 is missing" },
		{ "touch results/write.1", "results/write.1 was added" },
		{ "touch 'a\033[31m'", "a\\033[31m was added" },
		{ "rm report.json; ln -s iotest.log report.json",
		  "report.json is neither a file nor a folder" },
		{ "rm report.json; mkfifo report.json",
		  "report.json is neither a file nor a folder" },
		{ "rm report.json; mkdir report.json", "report.json is missing" },
		{ "rm MANIFEST", "not a bundle of iotest" },
		{ "rm MANIFEST; mkdir MANIFEST", "not a bundle of iotest" },
		{ "rm MANIFEST; mkfifo MANIFEST", "not a bundle of iotest" },
		{ ": >MANIFEST", "not a bundle of iotest" },
		{ "echo '# something else' >MANIFEST", "not a bundle of iotest" },
		{ "sed -i 2d MANIFEST", "iotest.log has no size or SHA-256" },
		{ "sed -i 3d MANIFEST", "iotest.log has no size or SHA-256" },
		{ "sed -i 2,3d MANIFEST", "iotest.log was added" },
		{ "sed -i 2p MANIFEST", "MANIFEST is damaged in line 3" },
		{ "sed -i '1p;1d' MANIFEST; tac MANIFEST >M; { sed -n '$p' M; cat M; } >MANIFEST; "
		  "rm M",
		  "MANIFEST is damaged in line" },
		{ "sed -i 's/^# SIZE (iotest.log) = .*/# SIZE (iotest.log) = 9999999999999999999/' "
		  "MANIFEST",
		  "MANIFEST is damaged in line 3" },
		{ "sed -i 's/^# SIZE (iotest.log) = /&-/' MANIFEST",
		  "MANIFEST is damaged in line 3" },
		{ "printf '%s' \"$(cat MANIFEST)\" >M; mv M MANIFEST", "truncated or damaged" },
		{ "printf 'a\\0b\\n' >>MANIFEST", "truncated or damaged" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct scratch s = scratch_make();
		char command[1024];

		make_bundle(&s, true);
		snprintf(command, sizeof(command), "cd '%s/" STEM "' && { %s; }", s.path,
			 rows[i].command);
		ck_assert_msg(system(command) == 0, "%s", rows[i].command);
		assert_refused(&s, STEM, rows[i].says);
		scratch_remove(&s);
	}
}
END_TEST

START_TEST(manifest_with_an_unknown_tag_is_still_read)
{
	struct scratch s = scratch_make();
	struct bundle_content c = { 0 };
	char command[1024];

	make_bundle(&s, true);
	snprintf(command, sizeof(command),
		 "sed -i '2i BLAKE3 (iotest.log) = 00' '%s/" STEM "/MANIFEST'", s.path);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(read_it(&s, STEM, &c, NULL), 0);
	bundle_content_done(&c);
	scratch_remove(&s);
}
END_TEST

START_TEST(what_is_no_bundle_is_refused_without_hanging)
{
	static const struct {
		const char *command, *name, *says;
	} rows[] = {
		{ "mkfifo x", "x", "not a bundle of iotest" },
		{ "ln -s /dev/zero x", "x", "not a bundle of iotest" },
		{ "ln -s /dev/tty x", "x", "not a bundle of iotest" },
		{ "mkdir x", "x", "not a bundle of iotest" },
		{ "ln -s / x", "x", "not a bundle of iotest" },
		{ "echo hello >x", "x", "not a bundle of iotest" },
		{ "head -c 100000 /dev/zero >x", "x", "not a bundle of iotest" },
		{ "echo hello | gzip >x", "x", "not a bundle of iotest" },
		{ "echo hello | gzip | head -c 15 >x", "x", "truncated or damaged" },
		{ "head -c 300000 /dev/urandom | gzip | head -c 200000 >x", "x",
		  "truncated or damaged" },
		{ ": >x", "x", "truncated or damaged" },
		{ "mkdir d; echo 1 >d/f; tar czf x d", "x", "not a bundle of iotest" },
		{ "mkdir d; echo 1 >d/f; tar cf x d", "x", "not a bundle of iotest" },
		{ "mkdir d; tar czf x d", "x", "not a bundle of iotest" },
		{ "tar czf x -T /dev/null", "x", "" },
		{ ":", "missing", "No such file or directory" },
		{ ": >x", "x/below", "Not a directory" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct scratch s = scratch_make();
		char command[1024];

		snprintf(command, sizeof(command), "cd '%s' && { %s; }", s.path, rows[i].command);
		ck_assert_msg(system(command) == 0, "%s", rows[i].command);
		assert_refused(&s, rows[i].name, rows[i].says);
		scratch_remove(&s);
	}
}
END_TEST

START_TEST(archive_that_was_packed_again_reads_as_long_as_it_is_the_same)
{
	static const struct {
		const char *command;
		int want_rc;
	} rows[] = {
		{ "gunzip <" ARCHIVE " >x", 0 }, /* as some browsers do while they download */
		{ "tar xzf " ARCHIVE "; tar czf x " STEM, 0 },
		{ "tar xzf " ARCHIVE "; mv " STEM " other; tar czf x other", -EBADMSG },
		{ "tar xzf " ARCHIVE "; mkdir deep; mv " STEM " deep; tar czf x deep", -EINVAL },
		{ "tar xzf " ARCHIVE "; tar czf x -C " STEM " .", -EINVAL },
		{ "tar xzf " ARCHIVE "; touch " STEM "/new; tar czf x " STEM, -EBADMSG },
		{ "tar xzf " ARCHIVE "; touch new; tar czf x " STEM " new", -EINVAL },
		{ "cat " ARCHIVE " " ARCHIVE " >x", -EBADMSG },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct scratch s = scratch_make();
		struct bundle_content c = { 0 };
		struct err err = { 0 };
		char command[1024];

		make_bundle(&s, false);
		snprintf(command, sizeof(command), "cd '%s' && { %s; }", s.path, rows[i].command);
		ck_assert_int_eq(system(command), 0);
		ck_assert_msg(read_it(&s, "x", &c, &err) == rows[i].want_rc, "%s: %d %s",
			      rows[i].command, err.rc, err.sentence);
		bundle_content_done(&c);
		scratch_remove(&s);
	}
}
END_TEST

/* One ustar header as a hostile packer would write it. */
static void add_member(struct buf *tar, const char *path, char type, const char *size_octal)
{
	char header[512] = { 0 };
	unsigned sum = 0;

	ck_assert_uint_lt(strlen(path), 100);
	memcpy(header, path, strlen(path));
	memcpy(header + 100, "0000600", 7);
	memcpy(header + 108, "0000000", 7);
	memcpy(header + 116, "0000000", 7);
	memcpy(header + 124, size_octal, strlen(size_octal));
	memcpy(header + 136, "00000000000", 11);
	header[156] = type;
	if (type == '1' || type == '2')
		memcpy(header + 157, "/etc/passwd", 11);
	memcpy(header + 257, "ustar\00000", 8);
	memset(header + 148, ' ', 8);
	for (size_t i = 0; i < sizeof(header); i++)
		sum += (unsigned char)header[i];
	snprintf(header + 148, 8, "%06o", sum);
	buf_add(tar, header, sizeof(header));
}

static void end_tar(struct buf *tar)
{
	static const char zeros[1024];

	buf_add(tar, zeros, sizeof(zeros));
}

START_TEST(hostile_member_is_refused)
{
	static const struct {
		const char *path;
		char type;
		const char *size_octal, *says;
	} rows[] = {
		{ "../x", '0', "00000000000", "not a bundle of iotest" },
		{ "/etc/passwd", '0', "00000000000", "not a bundle of iotest" },
		{ STEM "/../x", '0', "00000000000", "not a bundle of iotest" },
		{ STEM "/a/../../x", '0', "00000000000", "not a bundle of iotest" },
		{ STEM "//x", '0', "00000000000", "not a bundle of iotest" },
		{ "other/x", '0', "00000000000", "not a bundle of iotest" },
		{ STEM, '0', "00000000000", "not a bundle of iotest" },
		{ STEM "/link", '2', "00000000000", "not a bundle of iotest" },
		{ STEM "/hard", '1', "00000000000", "not a bundle of iotest" },
		{ STEM "/char", '3', "00000000000", "not a bundle of iotest" },
		{ STEM "/fifo", '6', "00000000000", "not a bundle of iotest" },
		{ STEM "/MANIFEST", '0', "00000000000", "MANIFEST is in it twice" },
		/* 64 MiB and a byte, 8 GiB less a byte */
		{ STEM "/big", '0', "00400000001", "big is larger than 64 MiB" },
		{ STEM "/big", '0', "77777777777", "big is larger than 64 MiB" },
		/* as much as is allowed, and not there */
		{ STEM "/short", '0', "00400000000", "truncated or damaged" },
		{ STEM "/short", '0', "00000002001", "truncated or damaged" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct scratch s = scratch_make();
		struct buf tar = { 0 };

		add_member(&tar, STEM "/", '5', "00000000000");
		add_member(&tar, STEM "/MANIFEST", '0', "00000000000");
		add_member(&tar, rows[i].path, rows[i].type, rows[i].size_octal);
		end_tar(&tar);
		scratch_write(&s, "x.tar", tar.data, tar.len);
		assert_refused(&s, "x.tar", rows[i].says);
		buf_done(&tar);
		scratch_remove(&s);
	}
}
END_TEST

START_TEST(archive_beyond_the_limits_is_refused)
{
	struct content_budget budget = { 0 };
	struct err err = { 0 };
	int64_t n = CONTENT_TOTAL_MAX / CONTENT_FILE_MAX;

	ck_assert_int_lt(content_allow(&budget, "x", CONTENT_FILE_MAX + 1, "w", &err), 0);
	ck_assert_int_lt(content_allow(&budget, "x", -1, "w", &err), 0);
	for (int64_t i = 0; i < n; i++)
		ck_assert_int_eq(content_allow(&budget, "", CONTENT_FILE_MAX, "w", &err), 0);
	ck_assert_int_eq(content_allow(&budget, "", 0, "w", &err), 0);
	ck_assert_int_lt(content_allow(&budget, "", 1, "w", &err), 0);
	ck_assert_int_lt(content_allow(&budget, "x", 0, "w", &err), 0);

	budget = (struct content_budget){ .n_members = CONTENT_MEMBERS_MAX - 1 };
	ck_assert_int_eq(content_allow(&budget, "x", 0, "w", &err), 0);
	ck_assert_int_lt(content_allow(&budget, "x", 0, "w", &err), 0);
}
END_TEST

SUITE_MAIN("bundle_read", every_truncation_is_an_error, flipped_bit_is_an_error_or_changes_nothing,
	   flipped_bit_in_a_kept_folder_is_an_error, kept_folder_reads_as_its_archive_does,
	   partial_folder_is_read_unchecked, changed_folder_is_refused_and_the_file_named,
	   manifest_with_an_unknown_tag_is_still_read, what_is_no_bundle_is_refused_without_hanging,
	   archive_that_was_packed_again_reads_as_long_as_it_is_the_same, hostile_member_is_refused,
	   archive_beyond_the_limits_is_refused)

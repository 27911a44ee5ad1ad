/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 by libarchive
 */
#include "bundle/archiver.h"
#include "bundle_scratch.h"

#define DIGEST_OF_NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define DIGEST_OF_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
/* FIPS 180-2, a million times "a": more than any buffer on the way */
#define DIGEST_OF_MILLION_A "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
#define MILLION 1000000

static const struct {
	const char *text;
	const char *want;
} vectors[] = {
	{ "", DIGEST_OF_NOTHING },
	{ "abc", DIGEST_OF_ABC },
};

START_TEST(digest_of_memory_is_that_of_the_standard)
{
	char digest[DIGEST_TEXT_SIZE];

	for (size_t i = 0; i < ARRAY_LEN(vectors); i++) {
		ck_assert_int_eq(archiver_digest_memory(vectors[i].text, strlen(vectors[i].text),
							"x", digest, NULL),
				 0);
		ck_assert_str_eq(digest, vectors[i].want);
	}
}
END_TEST

START_TEST(digest_of_a_file_is_that_of_its_first_bytes)
{
	struct scratch s = scratch_make();
	char *data = malloc(MILLION + 3);
	char digest[DIGEST_TEXT_SIZE];
	int fd;

	memset(data, 'a', MILLION);
	memset(data + MILLION, 'b', 3);
	scratch_write(&s, "file", data, MILLION + 3);
	fd = openat(s.fd, "file", O_RDONLY);
	ck_assert_int_eq(archiver_digest_file(fd, MILLION, "file", digest, NULL), 0);
	ck_assert_str_eq(digest, DIGEST_OF_MILLION_A);
	ck_assert_int_eq(archiver_digest_file(fd, 0, "file", digest, NULL), 0);
	ck_assert_str_eq(digest, DIGEST_OF_NOTHING);
	close(fd);
	free(data);
	scratch_remove(&s);
}
END_TEST

START_TEST(digest_of_a_file_that_became_shorter_is_an_error)
{
	struct scratch s = scratch_make();
	char digest[DIGEST_TEXT_SIZE] = "untouched";
	struct err err = { 0 };
	int fd;

	scratch_write(&s, "file", "abc", 3);
	fd = openat(s.fd, "file", O_RDONLY);
	ck_assert_int_eq(archiver_digest_file(fd, 4, "file", digest, &err), -EIO);
	ck_assert_str_eq(err.sentence, "file: became shorter while it was read");
	ck_assert_str_eq(digest, "untouched");
	close(fd);
	scratch_remove(&s);
}
END_TEST

SUITE_MAIN("bundle_digest", digest_of_memory_is_that_of_the_standard,
	   digest_of_a_file_is_that_of_its_first_bytes,
	   digest_of_a_file_that_became_shorter_is_an_error)

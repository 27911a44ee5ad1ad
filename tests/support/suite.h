/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite - the main() of every unit test file
 *
 *	#include "suite.h"
 *
 *	START_TEST(units_rejects_negative_sizes)
 *	{
 *		ck_assert_int_eq(units_parse_size("-1", &n), -EINVAL);
 *	}
 *	END_TEST
 *
 *	SUITE_MAIN("units", units_rejects_negative_sizes, next_test)
 *
 * Every test runs in a process of its own (CK_FORK=no changes that, for a debugger).
 */
#ifndef SUITE_H
#define SUITE_H

#include <check.h>
#include <stddef.h>

static inline int suite_run(const char *name, const TTest *const *tests, size_t n)
{
	Suite *suite = suite_create(name);
	TCase *all = tcase_create(name);
	SRunner *runner = srunner_create(suite);
	int n_failed;

	suite_add_tcase(suite, all);
	tcase_set_timeout(all, 60);
	for (size_t i = 0; i < n; i++)
		tcase_add_test(all, tests[i]);

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}

#define SUITE_MAIN(name, ...)                                                    \
	int main(void)                                                           \
	{                                                                        \
		const TTest *const tests[] = { __VA_ARGS__ };                    \
		return suite_run(name, tests, sizeof(tests) / sizeof(tests[0])); \
	}

#endif

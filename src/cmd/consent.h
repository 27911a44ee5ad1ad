/* SPDX-License-Identifier: Apache-2.0 */
/*
 * consent - a long run, or one that fills the file system, is agreed to first
 */
#ifndef IOTEST_CMD_CONSENT_H
#define IOTEST_CMD_CONSENT_H

#include "test_args.h"

/*
 * Returns 0 if no plan needs consent, --yes was given, or a terminal answered yes. Else -EPERM
 * with err filled: status 1 if a person said no, 2 if there was nobody to ask. What a plan needs
 * consent for is repeated only if the plans were not shown, as with --quiet.
 */
MUST_CHECK int consent_get(const struct test_plans *plans, const struct test_args *args,
			   struct err *err);

#endif

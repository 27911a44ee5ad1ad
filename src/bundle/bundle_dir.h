/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle_dir - the names that a bundle has in the output directory
 *
 * Private to the bundle.
 */
#ifndef IOTEST_BUNDLE_DIR_H
#define IOTEST_BUNDLE_DIR_H

#include "iotest/bundle.h"
#include "iotest/compiler.h"
#include "iotest/err.h"

#define BUNDLE_MANIFEST "MANIFEST"
#define BUNDLE_PARTIAL ".partial"
#define BUNDLE_ARCHIVE ".tar.gz"

/* The folder gets the next free name, as "<name>.partial", and bundle->name changes. */
MUST_CHECK int bundle_dir_take_next_name(struct bundle *bundle, struct err *err);

/* Renames in the output directory, never over anything. Returns 0, -EEXIST or -errno. */
MUST_CHECK int bundle_dir_rename(const struct bundle *bundle, const char *from, const char *to);

/* Empties and removes "<name>.partial". Returns 0 or -errno. */
MUST_CHECK int bundle_dir_remove(const struct bundle *bundle);

#endif

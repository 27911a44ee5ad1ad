/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manifest - the list of a bundle's files with size and SHA-256
 *
 * Private to the bundle. A text that `sha256sum -c` reads:
 *
 *	# iotest bundle <name>
 *	SHA256 (path) = <64 hex digits>
 *	# SIZE (path) = <bytes>
 *
 * sorted by path, both lines for every file. As in coreutils, a line with a backslash or newline
 * in its path starts with a backslash and has them as \\ and \n. It does not list itself. A reader
 * ignores tags that it does not know.
 */
#ifndef IOTEST_BUNDLE_MANIFEST_H
#define IOTEST_BUNDLE_MANIFEST_H

#include "iotest/buf.h"
#include "iotest/bundle.h"
#include "iotest/compiler.h"
#include "iotest/err.h"
#include "tree.h"

/* Of the items of tree, found below dirfd; of a file that grew the listed size counts. */
MUST_CHECK int manifest_format(int dirfd, const char *name, const struct tree *tree,
			       struct buf *out, struct err *err);

/*
 * Compares check->content, sorted and with its MANIFEST, against that, and adds every difference
 * to check. where names the bundle; name, if not NULL, is what the first line must say.
 */
MUST_CHECK int manifest_compare(struct bundle_check *check, const char *where, const char *name,
				struct err *err);

#endif

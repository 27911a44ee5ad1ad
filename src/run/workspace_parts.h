/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace_parts - what making the test files and removing them share
 */
#ifndef IOTEST_RUN_WORKSPACE_PARTS_H
#define IOTEST_RUN_WORKSPACE_PARTS_H

#include "workspace.h"

bool workspace_is_local(int target_kind);

/* Whatever keeps its name here is tried again at the end. */
void workspace_remove_names(struct workspace *ws);

/* The files that somebody named, opened, and empty where they are to be written. Returns 0, or a
 * negative errno with the sentence in err. */
MUST_CHECK int workspace_open_given(struct workspace *ws, const struct workspace_wish *wish,
				    struct err *err);

/* Given files that we made and that are still empty. */
void workspace_remove_empty(const struct workspace *ws);

/* The private directory. Returns 0 if it is gone, else -errno. */
int workspace_remove_dir(struct workspace *ws);

#endif

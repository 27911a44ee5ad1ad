/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace_name - the names of directories and files that a run makes in a target
 *
 * ".iotest-<host>-<pid>-<boot id>-<random>" and in it "worker-<number>".
 */
#ifndef IOTEST_RUN_WORKSPACE_NAME_H
#define IOTEST_RUN_WORKSPACE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"

struct strlist; /* of iotest/sysroot.h */

#define WORKSPACE_PREFIX ".iotest-"
#define DIR_NAME_SIZE 160
#define FILE_NAME_SIZE 32
#define HOST_PART_SIZE 64
#define BOOT_PART_SIZE 9

/* Who made a directory. */
struct workspace_name {
	char host[HOST_PART_SIZE];
	int64_t pid;
	char boot[BOOT_PART_SIZE]; /* "" if its run could not learn it */
};

/* A new one of this process. */
void workspace_name_make(const char *host_name, char out[DIR_NAME_SIZE]);

/* False for what workspace_name_make would not give, however near it is. */
bool workspace_name_parse(const char *name, struct workspace_name *out);

/* The names in a directory that begin as ours do, sorted. It may hang. Returns 0 or -errno. */
MUST_CHECK int workspace_list_names(int target_fd, struct strlist *out);

void workspace_file_name(char name[FILE_NAME_SIZE], size_t i);
bool workspace_is_file_name(const char *name);

/* The host and this start of it, as they stand in a name; boot is "" if it cannot be learned. */
void workspace_host_part(const char *host_name, char out[HOST_PART_SIZE]);
void workspace_boot_part(char out[BOOT_PART_SIZE]);

#endif

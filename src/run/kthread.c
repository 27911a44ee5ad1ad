/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kthread - which threads of the kernel there are
 */
#include "kthread.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "iotest/compiler.h"
#include "procfile.h"

/* The parent of all of them, which is always the second process. */
#define PARENT "2"
#define PARENT_NAME "kthreadd"

/* The kernel cuts names to 15 bytes. */
#define NAME_SIZE 64

static bool has_name(const char *proc, const char *pid, const char *name)
{
	char path[512], text[NAME_SIZE];
	int len = snprintf(path, sizeof(path), "%s/%s/comm", proc, pid);

	if (len < 0 || len >= (int)sizeof(path) || procfile_read(path, text, sizeof(text)))
		return false;
	text[strcspn(text, "\n")] = '\0';
	return strcmp(text, name) == 0;
}

int kthread_exists(const char *proc, const char *name)
{
	const struct dirent *entry;
	int found = 0;
	int fd;
	DIR *dir;

	if (!has_name(proc, PARENT, PARENT_NAME))
		return -1;
	fd = open(proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	dir = fdopendir(fd);
	if (!dir) {
		(void)close(fd);
		return -1;
	}
	for (entry = readdir(dir); entry && !found; entry = readdir(dir))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			found = has_name(proc, entry->d_name, name);
	(void)closedir(dir);
	return found;
}

int kthread_lazy_init(const struct host *host)
{
	for (size_t i = 0; i < host->n_targets; i++)
		if (!strcmp(text_of(host->targets[i].fs_type), "ext4") ||
		    !strcmp(text_of(host->targets[i].backing_fs_type), "ext4"))
			return kthread_exists("/proc", "ext4lazyinit");
	return -1;
}

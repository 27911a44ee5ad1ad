/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_holder - keeps pages of somebody's test file in memory
 *
 *	page_holder PID MIB
 *
 * Waits until that process has a deleted file of at least so many MiB open, locks its first MIB
 * MiB in memory, and stays until it is killed or the process is gone.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(long ms)
{
	const struct timespec t = { .tv_nsec = ms * 1000000 };

	(void)nanosleep(&t, NULL);
}

/* A new descriptor of the file, or -1. */
static int find_file(int pid, off_t bytes)
{
	char dir_path[64], path[400];
	DIR *dir;
	int found = -1;

	(void)snprintf(dir_path, sizeof(dir_path), "/proc/%d/fd", pid);
	dir = opendir(dir_path);
	if (!dir)
		return -1;
	for (const struct dirent *d = readdir(dir); d && found < 0; d = readdir(dir)) {
		struct stat st;

		(void)snprintf(path, sizeof(path), "%s/%s", dir_path, d->d_name);
		if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 0 &&
		    st.st_size >= bytes)
			found = open(path, O_RDONLY | O_CLOEXEC);
	}
	(void)closedir(dir);
	return found;
}

int main(int argc, char **argv)
{
	int pid = argc == 3 ? atoi(argv[1]) : 0;
	off_t bytes = argc == 3 ? (off_t)atoi(argv[2]) << 20 : 0;
	int fd = -1;
	void *map;

	if (pid < 1 || bytes < 1)
		return 2;
	while (fd < 0 && kill(pid, 0) == 0) {
		fd = find_file(pid, bytes);
		pause_ms(1);
	}
	if (fd < 0)
		return 1;
	map = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, fd, 0);
	/* Directly: the address sanitizer makes mlock(3) do nothing. */
	if (map == MAP_FAILED || syscall(SYS_mlock, map, (size_t)bytes) < 0) {
		perror("page_holder");
		return 1;
	}
	while (kill(pid, 0) == 0)
		pause_ms(50);
	return 0;
}

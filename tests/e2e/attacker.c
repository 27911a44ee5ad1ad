/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attacker - another user who does what it can to the directories of runs in a target
 *
 *	attacker TARGET VICTIM
 *
 * Without a pause, until SIGTERM or the end of its parent: renames each directory of a run, puts a
 * symbolic link to the victim in its place, links its files elsewhere, cuts, replaces and removes
 * them, and plants links in it. Then prints how often it tried, and what it could do.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX ".iotest-"

static volatile sig_atomic_t is_over;

static struct {
	long tries, swaps, inside;
} counts;

static void end(int signal_number)
{
	(void)signal_number;
	is_over = 1;
}

/* The directory goes elsewhere, and its name leads to the victim. */
static void swap(int target_fd, const char *name, const char *victim)
{
	char away[64];

	(void)snprintf(away, sizeof(away), "stolen-%ld", counts.swaps);
	if (renameat(target_fd, name, target_fd, away) < 0)
		return;
	counts.swaps += symlinkat(victim, target_fd, name) == 0;
}

/* Returns whether anything was possible. */
static int spoil(int dir_fd, int target_fd, const char *name, const char *victim)
{
	int fd = openat(dir_fd, "worker-0", O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
	int n = fd >= 0;

	if (fd >= 0)
		(void)close(fd);
	n += linkat(dir_fd, "worker-0", target_fd, "linked", 0) == 0;
	n += unlinkat(dir_fd, "worker-0", 0) == 0;
	n += symlinkat(victim, dir_fd, "worker-0") == 0;
	n += symlinkat(victim, dir_fd, "worker-7") == 0;
	n += fchmodat(target_fd, name, 0777, 0) == 0;
	return n;
}

static void attack(int target_fd, const char *name, const char *victim)
{
	int dir_fd = openat(target_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	counts.tries++;
	if (dir_fd >= 0) {
		counts.inside += spoil(dir_fd, target_fd, name, victim);
		(void)close(dir_fd);
	}
	swap(target_fd, name, victim);
}

static void attack_all(int target_fd, const char *victim)
{
	DIR *dir = fdopendir(openat(target_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (!strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			attack(target_fd, entry->d_name, victim);
	}
	(void)closedir(dir);
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = end };
	int target_fd;

	if (argc != 3)
		return 2;
	(void)sigaction(SIGTERM, &action, NULL);
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	target_fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (target_fd < 0) {
		perror(argv[1]);
		return 1;
	}
	while (!is_over)
		attack_all(target_fd, argv[2]);
	printf("tries=%ld swaps=%ld inside=%ld\n", counts.tries, counts.swaps, counts.inside);
	return 0;
}

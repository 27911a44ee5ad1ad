/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syslog_sink - a system log for one test: binds PATH, prints what is sent there, ends with its
 * standard input
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
		return -1;
	strcpy(address.sun_path, path);
	return bind(fd, (const struct sockaddr *)&address, sizeof(address)) ? -1 : fd;
}

int main(int argc, char **argv)
{
	struct pollfd waits[] = { { .events = POLLIN }, { .events = POLLIN } };
	char line[4096];

	waits[0].fd = argc == 2 ? listen_at(argv[1]) : -1;
	waits[1].fd = STDIN_FILENO;
	if (waits[0].fd < 0)
		return 1;
	puts("listening");
	fflush(stdout);
	while (poll(waits, 2, 60000) > 0) {
		if (waits[0].revents) {
			ssize_t n = recv(waits[0].fd, line, sizeof(line) - 1, 0);

			if (n > 0)
				printf("%.*s\n", (int)n, line);
			fflush(stdout);
		} else if (waits[1].revents) {
			break;
		}
	}
	return 0;
}

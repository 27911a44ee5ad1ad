/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faultfs - a file system that shows another directory, with faults
 *
 *	faultfs BACKING MOUNT_POINT [direct_io] [write_back] [OPERATION:FAULT[@N][xTIMES]...]
 *
 * A rule acts on the Nth call of its operation (from 1) and on all that follow, or on TIMES of
 * them. A fault is the name of an errno, or
 *
 *	short   half of the bytes are moved, one at least
 *	none    no byte is moved, and no error is told
 *	hang    this call is never answered
 *	stop    the process is stopped, so that nothing is answered until SIGCONT
 *	die     the process ends: the mount has lost its daemon
 *
 * direct_io lets each write and read of a caller through as it is; with write_back the kernel
 * keeps what is written, so that it is fsync that tells of a failed write. The process stays in
 * the foreground and ends with whoever started it. Files without a name it cannot make.
 */
#define FUSE_USE_VERSION 31

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define RULES_MAX 16

/* Where a fault can be. "direct" is an open or create that asks for O_DIRECT. */
static const char *const operations[] = { "write",  "read",  "fsync",  "flush",	 "create",
					  "open",   "mkdir", "rmdir",  "unlink", "rename",
					  "direct", "attr",  "statfs", "readdir" };

enum { FAULT_SHORT = 1, FAULT_NONE, FAULT_HANG, FAULT_STOP, FAULT_DIE };

/* An errno is negative, as it is answered. */
static const struct {
	const char *name;
	int fault;
} faults[] = {
	{ "short", FAULT_SHORT }, { "none", FAULT_NONE },    { "hang", FAULT_HANG },
	{ "stop", FAULT_STOP },	  { "die", FAULT_DIE },	     { "EACCES", -EACCES },
	{ "EAGAIN", -EAGAIN },	  { "EDQUOT", -EDQUOT },     { "EFBIG", -EFBIG },
	{ "EINTR", -EINTR },	  { "EINVAL", -EINVAL },     { "EIO", -EIO },
	{ "ENOSPC", -ENOSPC },	  { "ENOTCONN", -ENOTCONN }, { "EOPNOTSUPP", -EOPNOTSUPP },
	{ "EPERM", -EPERM },	  { "EROFS", -EROFS },	     { "ESTALE", -ESTALE },
};

struct rule {
	const char *operation;
	int fault;
	long first; /* call of the operation, from 1 */
	long times; /* 0: all that follow */
	atomic_long calls;
};

/* Told once on the command line. */
static struct rule rules[RULES_MAX];
static size_t n_rules;
static int backing_fd = -1;
static bool is_direct_io;
static bool has_write_back;

/* ---------------------------------------------------------------- faults */

static bool is_due(struct rule *rule)
{
	long call = atomic_fetch_add(&rule->calls, 1) + 1;

	return call >= rule->first && (!rule->times || call < rule->first + rule->times);
}

static void hang(void)
{
	for (;;)
		pause();
}

/* What the caller has to do: 0, a negative errno, FAULT_SHORT or FAULT_NONE. */
static int fault_in(const char *operation)
{
	for (size_t i = 0; i < n_rules; i++) {
		struct rule *rule = &rules[i];

		if (strcmp(rule->operation, operation) || !is_due(rule))
			continue;
		if (rule->fault == FAULT_HANG)
			hang();
		if (rule->fault == FAULT_DIE)
			_exit(0);
		if (rule->fault != FAULT_STOP)
			return rule->fault;
		raise(SIGSTOP);
	}
	return 0;
}

/* ---------------------------------------------------------------- names */

/* Names of the mount begin with a slash, those below the backing directory do not. */
static const char *below(const char *path)
{
	return path[1] ? path + 1 : ".";
}

static int answer(int rc)
{
	return rc < 0 ? -errno : 0;
}

static int faulty_getattr(const char *path, struct stat *st, struct fuse_file_info *file)
{
	int fault = fault_in("attr");

	if (fault)
		return fault;
	if (file)
		return answer(fstat((int)file->fh, st));
	return answer(fstatat(backing_fd, below(path), st, AT_SYMLINK_NOFOLLOW));
}

static int faulty_readdir(const char *path, void *buf, fuse_fill_dir_t fill, off_t at,
			  struct fuse_file_info *file, enum fuse_readdir_flags flags)
{
	int fault = fault_in("readdir");
	int fd = openat(backing_fd, below(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	(void)at;
	(void)file;
	(void)flags;
	if (!dir)
		return -errno;
	while (!fault && (entry = readdir(dir)))
		(void)fill(buf, entry->d_name, NULL, 0, 0);
	(void)closedir(dir);
	return fault;
}

/* What a user makes is the user's. */
static int give_away(const char *path)
{
	const struct fuse_context *user = fuse_get_context();

	return answer(fchownat(backing_fd, below(path), user->uid, user->gid, AT_SYMLINK_NOFOLLOW));
}

static int faulty_mkdir(const char *path, mode_t mode)
{
	int fault = fault_in("mkdir");

	if (fault)
		return fault;
	if (mkdirat(backing_fd, below(path), mode))
		return -errno;
	return give_away(path);
}

static int faulty_rmdir(const char *path)
{
	int fault = fault_in("rmdir");

	return fault ? fault : answer(unlinkat(backing_fd, below(path), AT_REMOVEDIR));
}

static int faulty_unlink(const char *path)
{
	int fault = fault_in("unlink");

	return fault ? fault : answer(unlinkat(backing_fd, below(path), 0));
}

static int faulty_rename(const char *from, const char *to, unsigned int flags)
{
	int fault = fault_in("rename");

	if (fault || flags)
		return fault ? fault : -EINVAL;
	return answer(renameat(backing_fd, below(from), backing_fd, below(to)));
}

static int faulty_symlink(const char *to, const char *path)
{
	return symlinkat(to, backing_fd, below(path)) ? -errno : give_away(path);
}

static int faulty_readlink(const char *path, char *to, size_t size)
{
	ssize_t n = readlinkat(backing_fd, below(path), to, size - 1);

	if (n < 0)
		return -errno;
	to[n] = '\0';
	return 0;
}

static int faulty_link(const char *from, const char *to)
{
	return answer(linkat(backing_fd, below(from), backing_fd, below(to), 0));
}

static int faulty_chmod(const char *path, mode_t mode, struct fuse_file_info *file)
{
	(void)file;
	return answer(fchmodat(backing_fd, below(path), mode, 0));
}

static int faulty_statfs(const char *path, struct statvfs *st)
{
	int fault = fault_in("statfs");

	(void)path;
	return fault ? fault : answer(fstatvfs(backing_fd, st));
}

/* ---------------------------------------------------------------- files */

/* The backing file is opened without O_DIRECT: our buffers are not aligned. The kernel reads a
 * page before it writes a part of one back. */
static int open_backing(const char *path, int flags, mode_t mode, struct fuse_file_info *file)
{
	int fault = flags & O_DIRECT ? fault_in("direct") : 0;
	int fd;

	if (fault)
		return fault;
	flags &= ~(O_DIRECT | O_APPEND);
	if (has_write_back && (flags & O_ACCMODE) == O_WRONLY)
		flags = (flags & ~O_ACCMODE) | O_RDWR;
	fd = openat(backing_fd, below(path), flags | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	file->fh = (uint64_t)fd;
	file->direct_io = is_direct_io;
	return 0;
}

static int faulty_create(const char *path, mode_t mode, struct fuse_file_info *file)
{
	int fault = fault_in("create");

	if (!fault)
		fault = open_backing(path, file->flags | O_CREAT, mode, file);
	return fault ? fault : give_away(path);
}

static int faulty_open(const char *path, struct fuse_file_info *file)
{
	int fault = fault_in("open");

	return fault ? fault : open_backing(path, file->flags, 0, file);
}

static int faulty_truncate(const char *path, off_t size, struct fuse_file_info *file)
{
	int fd, rc;

	if (file)
		return answer(ftruncate((int)file->fh, size));
	fd = openat(backing_fd, below(path), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = answer(ftruncate(fd, size));
	(void)close(fd);
	return rc;
}

/* With write_back the kernel keeps the times, too. */
static int faulty_utimens(const char *path, const struct timespec times[2],
			  struct fuse_file_info *file)
{
	if (file)
		return answer(futimens((int)file->fh, times));
	return answer(utimensat(backing_fd, below(path), times, AT_SYMLINK_NOFOLLOW));
}

/* So many of size bytes are to be moved, or an errno. */
static int granted(const char *operation, size_t size)
{
	int fault = fault_in(operation);

	if (fault < 0)
		return fault;
	if (fault == FAULT_NONE)
		return 0;
	return (int)(fault == FAULT_SHORT ? (size + 1) / 2 : size);
}

static int faulty_read(const char *path, char *buf, size_t size, off_t at,
		       struct fuse_file_info *file)
{
	int n = granted("read", size);
	ssize_t moved;

	(void)path;
	if (n <= 0)
		return n;
	moved = pread((int)file->fh, buf, (size_t)n, at);
	return moved < 0 ? -errno : (int)moved;
}

static int faulty_write(const char *path, const char *buf, size_t size, off_t at,
			struct fuse_file_info *file)
{
	int n = granted("write", size);
	ssize_t moved;

	(void)path;
	if (n <= 0)
		return n;
	moved = pwrite((int)file->fh, buf, (size_t)n, at);
	return moved < 0 ? -errno : (int)moved;
}

/* What is below is not under test: nothing needs to get to its disk. */
static int faulty_fsync(const char *path, int data_only, struct fuse_file_info *file)
{
	(void)path;
	(void)data_only;
	(void)file;
	return fault_in("fsync");
}

static int faulty_flush(const char *path, struct fuse_file_info *file)
{
	(void)path;
	(void)file;
	return fault_in("flush");
}

static int faulty_release(const char *path, struct fuse_file_info *file)
{
	(void)path;
	return answer(close((int)file->fh));
}

static void *begin(struct fuse_conn_info *conn, struct fuse_config *config)
{
	if (has_write_back)
		conn->want |= conn->capable & FUSE_CAP_WRITEBACK_CACHE;
	config->use_ino = 1;
	config->hard_remove = 1;
	return NULL;
}

static const struct fuse_operations faulty = {
	.init = begin,
	.getattr = faulty_getattr,
	.readdir = faulty_readdir,
	.mkdir = faulty_mkdir,
	.rmdir = faulty_rmdir,
	.unlink = faulty_unlink,
	.rename = faulty_rename,
	.symlink = faulty_symlink,
	.readlink = faulty_readlink,
	.link = faulty_link,
	.chmod = faulty_chmod,
	.statfs = faulty_statfs,
	.create = faulty_create,
	.open = faulty_open,
	.truncate = faulty_truncate,
	.utimens = faulty_utimens,
	.read = faulty_read,
	.write = faulty_write,
	.fsync = faulty_fsync,
	.flush = faulty_flush,
	.release = faulty_release,
};

/* ---------------------------------------------------------------- the command line */

static const char *find_operation(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(operations); i++) {
		if (strlen(operations[i]) == len && !strncmp(operations[i], name, len))
			return operations[i];
	}
	return NULL;
}

static int find_fault(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(faults); i++) {
		if (strlen(faults[i].name) == len && !strncmp(faults[i].name, name, len))
			return faults[i].fault;
	}
	return 0;
}

static bool parse_number(const char **text, char mark, long *value)
{
	char *end;

	if (**text != mark)
		return true;
	*value = strtol(*text + 1, &end, 10);
	if (end == *text + 1 || *value < 1)
		return false;
	*text = end;
	return true;
}

static bool parse_rule(const char *text)
{
	size_t n_operation = strcspn(text, ":");
	const char *fault = text + n_operation + (text[n_operation] == ':');
	size_t n_fault = strcspn(fault, "@x");
	const char *numbers = fault + n_fault;
	struct rule *rule = &rules[n_rules];

	if (n_rules == RULES_MAX)
		return false;
	rule->operation = find_operation(text, n_operation);
	rule->fault = find_fault(fault, n_fault);
	rule->first = 1;
	if (!rule->operation || !rule->fault || !parse_number(&numbers, '@', &rule->first) ||
	    !parse_number(&numbers, 'x', &rule->times) || *numbers)
		return false;
	n_rules++;
	return true;
}

static bool parse_word(const char *word)
{
	if (!strcmp(word, "direct_io"))
		is_direct_io = true;
	else if (!strcmp(word, "write_back"))
		has_write_back = true;
	else
		return parse_rule(word);
	return true;
}

/* The mount is for all users, and the kernel looks after its rights. */
static int serve(char *program, char *mount_point)
{
	static const char *const words[] = {
		"-f",
		"-oallow_other,default_permissions,subtype=faultfs,fsname=faultfs",
	};
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	int rc = fuse_opt_add_arg(&args, program);

	for (size_t i = 0; rc == 0 && i < COUNT(words); i++)
		rc = fuse_opt_add_arg(&args, words[i]);
	if (rc == 0)
		rc = fuse_opt_add_arg(&args, mount_point);
	if (rc == 0)
		rc = fuse_main(args.argc, args.argv, &faulty, NULL);
	fuse_opt_free_args(&args);
	return rc ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: faultfs BACKING MOUNT_POINT [WORD...]\n");
		return 2;
	}
	for (int i = 3; i < argc; i++) {
		if (parse_word(argv[i]))
			continue;
		fprintf(stderr, "faultfs: %s is no rule\n", argv[i]);
		return 2;
	}
	backing_fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (backing_fd < 0) {
		perror(argv[1]);
		return 1;
	}
	/* Even a stopped one must not outlive its test. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	umask(0);
	return serve(argv[0], argv[2]);
}

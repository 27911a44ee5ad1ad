/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_cgroup - what the control groups allow: memory, CPU time, CPUs
 *
 * A limit may be set at any level from the own group up to the root of the mount, and the
 * tightest one holds. Every level is simply tried: paths that a namespace or a bind mount hides
 * do not exist below the mount point, and the levels above them do. /proc/cgroups is not asked:
 * new kernels leave controllers out of it.
 */
#include "probe_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"

/* At or above this a limit is the kernel's way to say that there is none, whatever its page
 * size and release. */
#define NO_LIMIT (1LL << 62)

void cgroups_done(struct cgroups *c)
{
	size_t i;

	for (i = 0; i < c->n_items; i++) {
		free(c->items[i].controllers);
		free(c->items[i].point);
		free(c->items[i].own);
	}
	free(c->items);
	buf_done(&c->text);
	*c = (struct cgroups){ 0 };
}

static bool has_word(const char *list, const char *word)
{
	return wordlist_has(list, word, strlen(word));
}

/* The path of a controller in "/proc/self/cgroup" text; NULL controller: that of version 2. */
static char *path_in(const char *text, const char *controller)
{
	const char *at;

	for (at = text; *at; at = next_line(at)) {
		const char *end = strchrnul(at, '\n');
		const char *first = memchr(at, ':', (size_t)(end - at));
		const char *second;

		if (!first)
			continue;
		second = memchr(first + 1, ':', (size_t)(end - first - 1));
		if (!second)
			continue;
		if (controller) {
			CLEANUP(xfree)
			char *list = xstrndup(first + 1, (size_t)(second - first - 1));

			if (!has_word(list, controller))
				continue;
		} else if (second != first + 1) {
			continue;
		}
		return xstrndup(second + 1, (size_t)(end - second - 1));
	}
	return NULL;
}

/* The own path of the hierarchy that has the controller; "/proc/self/cpuset" is all that some
 * recorded trees have. */
static char *own_path(const struct probe *p, const char *controller)
{
	CLEANUP(xfree) char *cpuset = NULL;
	char *path = path_in(buf_text(&p->cgroups.text), controller);

	if (path)
		return path;
	if (sysroot_read_text(p->root, &cpuset, "/proc/self/cpuset") == 0 && *cpuset == '/')
		return xstrdup(cpuset);
	return xstrdup("/");
}

/*
 * What remains of an own path below a mount that shows mount_root at its top. A namespace shows
 * what lies outside of it as "/../x": only the root of the mount is above that, and a group "x"
 * below the mount is another one.
 */
static char *below_mount(const char *path, const char *mount_root)
{
	size_t len = strlen(mount_root);
	char *end;
	char *own;

	if (len > 1 && !strncmp(path, mount_root, len) && (path[len] == '/' || !path[len]))
		path += len;
	if (!strncmp(path, "/..", 3) && (path[3] == '/' || !path[3]))
		path = "";
	own = xstrdup(path);
	for (end = own + strlen(own); end > own && end[-1] == '/';)
		*--end = '\0';
	return own;
}

static void add_hierarchy(struct cgroups *c, bool is_v2, const char *controllers, const char *point,
			  char *own)
{
	struct hierarchy *one = XGROW(&c->items, &c->n_items);

	one->is_v2 = is_v2;
	one->controllers = xstrdup(controllers);
	one->point = xstrdup(strcmp(point, "/") ? point : "");
	one->own = own;
}

static const char *const controllers[] = { "memory", "cpu", "cpuset", "blkio" };

static void add_mounted(struct probe *p)
{
	size_t i, k;

	for (i = 0; i < p->mounts.n_items; i++) {
		const struct mount *m = &p->mounts.items[i];
		const char *controller = NULL;
		CLEANUP(xfree) char *path = NULL;

		if (strcmp(m->fs_type, "cgroup2") && strcmp(m->fs_type, "cgroup"))
			continue;
		if (!strcmp(m->fs_type, "cgroup")) {
			for (k = 0; k < ARRAY_LEN(controllers) && !controller; k++)
				if (has_word(m->fs_options, controllers[k]))
					controller = controllers[k];
			if (!controller)
				continue;
		}
		path = own_path(p, controller);
		add_hierarchy(&p->cgroups, !controller, m->fs_options, m->point,
			      below_mount(path, m->root));
	}
}

/* Where they are mounted if no mount table tells. */
static void add_usual(struct probe *p)
{
	static const struct {
		const char *point;
		const char *controller; /* NULL: version 2 */
	} usual[] = {
		{ "/sys/fs/cgroup", NULL },
		{ "/sys/fs/cgroup/unified", NULL },
		{ "/cgroup/unified", NULL },
		{ "/cgroup", NULL },
		{ "/sys/fs/cgroup/memory", "memory" },
		{ "/sys/fs/cgroup/cpu", "cpu" },
		{ "/sys/fs/cgroup/cpu,cpuacct", "cpu" },
		{ "/sys/fs/cgroup/cpuset", "cpuset" },
		{ "/sys/fs/cgroup/blkio", "blkio" },
		{ "/cgroup/memory", "memory" },
		{ "/cgroup/cpu", "cpu" },
		{ "/cgroup/cpuset", "cpuset" },
		{ "/cgroup/blkio", "blkio" },
		{ "/dev/cgroup/cpuset", "cpuset" },
		{ "/dev/cpuset", "cpuset" },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(usual); i++) {
		CLEANUP(xfree) char *path = own_path(p, usual[i].controller);

		add_hierarchy(&p->cgroups, !usual[i].controller,
			      usual[i].controller ? usual[i].controller : "", usual[i].point,
			      below_mount(path, "/"));
	}
}

void cgroups_find(struct probe *p)
{
	/* Without the file every path is that of the root. */
	if (sysroot_read(p->root, &p->cgroups.text, "/proc/self/cgroup"))
		p->cgroups.text.len = 0;
	add_mounted(p);
	if (p->cgroups.n_items == 0)
		add_usual(p);
}

bool cgroup_climb(char *own)
{
	char *slash = strrchr(own, '/');

	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

/* A limit in bytes; -1: none, "max", or no such file. */
static int64_t read_limit(const struct sysroot *root, const char *dir, const char *file)
{
	int64_t limit;

	if (sysroot_read_i64(root, &limit, "%s/%s", dir, file))
		return -1;
	return limit > 0 && limit < NO_LIMIT ? limit : -1;
}

/* Below all of the memory, or it limits nothing. */
static bool is_tighter(const struct host *host, int64_t limit, int64_t than)
{
	if (limit < 0 || (host->memory_bytes > 0 && limit >= host->memory_bytes))
		return false;
	return than < 0 || limit < than;
}

static void take_memory_limit(struct probe *p, const char *dir, const char *file, int64_t limit,
			      const char *used_file)
{
	struct host *host = p->host;
	int64_t used;

	if (!is_tighter(host, limit, host->memory_limit_bytes))
		return;
	host->memory_limit_bytes = limit;
	free(host->memory_limit_source);
	host->memory_limit_source = xasprintf("%s/%s", dir, file);
	host->memory_limit_used_bytes = -1;
	if (sysroot_read_i64(p->root, &used, "%s/%s", dir, used_file) == 0 && used >= 0)
		host->memory_limit_used_bytes = used;
}

/* Of all levels, also those above the mount; -1 unknown. */
static int64_t hierarchical_limit(const struct sysroot *root, const char *dir)
{
	static const char key[] = "hierarchical_memory_limit ";
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *at;
	int64_t limit;

	if (sysroot_read(root, &text, "%s/memory.stat", dir))
		return -1;
	at = strstr(buf_text(&text), key);
	if (!at)
		return -1;
	limit = strtoll(at + strlen(key), NULL, 10);
	return limit > 0 && limit < NO_LIMIT ? limit : -1;
}

/* Old kernels: a group that does not use the hierarchy does not count its children. */
static bool counts_children(const struct sysroot *root, const char *dir)
{
	int64_t uses_hierarchy;

	if (sysroot_read_i64(root, &uses_hierarchy, "%s/memory.use_hierarchy", dir))
		return true;
	return uses_hierarchy != 0;
}

static void memory_v1(struct probe *p, const struct hierarchy *h)
{
	CLEANUP(xfree) char *own = xstrdup(h->own);
	CLEANUP(xfree) char *nearest = NULL;
	int64_t of_all = -1;
	bool is_parent = false;

	do {
		CLEANUP(xfree) char *dir = xasprintf("%s%s", h->point, own);

		if (!is_parent || counts_children(p->root, dir))
			take_memory_limit(p, dir, "memory.limit_in_bytes",
					  read_limit(p->root, dir, "memory.limit_in_bytes"),
					  "memory.usage_in_bytes");
		is_parent = true;
		if (of_all >= 0)
			continue;
		of_all = hierarchical_limit(p->root, dir);
		xstr_set(&nearest, dir);
	} while (cgroup_climb(own));

	/* Tighter than every level seen: it was set above the mount. */
	take_memory_limit(p, nearest, "memory.stat", of_all, "memory.usage_in_bytes");
}

static void memory_v2(struct probe *p, const struct hierarchy *h)
{
	CLEANUP(xfree) char *own = xstrdup(h->own);

	do {
		CLEANUP(xfree) char *dir = xasprintf("%s%s", h->point, own);
		int64_t high = read_limit(p->root, dir, "memory.high");

		take_memory_limit(p, dir, "memory.max", read_limit(p->root, dir, "memory.max"),
				  "memory.current");
		if (is_tighter(p->host, high, p->host->memory_high_bytes))
			p->host->memory_high_bytes = high;
	} while (cgroup_climb(own));
}

static void take_quota(struct probe *p, const char *dir, const char *file, double quota,
		       double period)
{
	struct host *host = p->host;

	if (quota <= 0 || period <= 0)
		return;
	if (host->cpu_quota_cores >= 0 && host->cpu_quota_cores <= quota / period)
		return;
	host->cpu_quota_cores = quota / period;
	free(host->cpu_quota_source);
	host->cpu_quota_source = xasprintf("%s/%s", dir, file);
}

/* "50000 100000", "max 100000" (*quota is -1 then). Returns 0 or -EINVAL. */
static int parse_quota(const char *text, int64_t *quota, int64_t *period)
{
	size_t len = strcspn(text, " \t");
	CLEANUP(xfree) char *word = xstrndup(text, len);

	text += len;
	text += strspn(text, " \t");
	*quota = -1;
	*period = 100000;
	if (*text && (units_parse_i64(text, period) || *period <= 0))
		return -EINVAL;
	if (!strcmp(word, "max"))
		return 0;
	return units_parse_i64(word, quota) || *quota <= 0 ? -EINVAL : 0;
}

static void quota_v2(struct probe *p, const char *dir)
{
	CLEANUP(xfree) char *text = NULL;
	CLEANUP(xfree) char *shown = NULL;
	int64_t quota, period;

	if (sysroot_read_text(p->root, &text, "%s/cpu.max", dir))
		return;
	if (parse_quota(text, &quota, &period) == 0) {
		take_quota(p, dir, "cpu.max", (double)quota, (double)period);
		return;
	}
	shown = shown_text(text);
	host_note(p->host, "cgroup", "%s/cpu.max has \"%s\", which is no quota: it is not counted",
		  dir, shown);
}

static void quota_v1(struct probe *p, const char *dir)
{
	int64_t quota, period;

	if (sysroot_read_i64(p->root, &quota, "%s/cpu.cfs_quota_us", dir) || quota <= 0 ||
	    sysroot_read_i64(p->root, &period, "%s/cpu.cfs_period_us", dir))
		return;
	take_quota(p, dir, "cpu.cfs_quota_us", (double)quota, (double)period);
}

static void cpu_quota(struct probe *p, const struct hierarchy *h)
{
	CLEANUP(xfree) char *own = xstrdup(h->own);

	do {
		CLEANUP(xfree) char *dir = xasprintf("%s%s", h->point, own);

		if (h->is_v2)
			quota_v2(p, dir);
		else
			quota_v1(p, dir);
	} while (cgroup_climb(own));
}

/* The own path as the process's file tells: that of the memory controller, else of version 2. */
static void name_own(struct probe *p)
{
	const char *text = buf_text(&p->cgroups.text);

	p->host->cgroup = path_in(text, "memory");
	if (!p->host->cgroup)
		p->host->cgroup = path_in(text, NULL);
	if (!p->host->cgroup && sysroot_read_text(p->root, &p->host->cgroup, "/proc/self/cpuset"))
		p->host->cgroup = NULL;
}

void probe_cgroup(struct probe *p)
{
	size_t i;

	name_own(p);
	for (i = 0; i < p->cgroups.n_items; i++) {
		const struct hierarchy *one = &p->cgroups.items[i];

		if (one->is_v2)
			memory_v2(p, one);
		else if (has_word(one->controllers, "memory"))
			memory_v1(p, one);
		if (one->is_v2 || has_word(one->controllers, "cpu"))
			cpu_quota(p, one);
	}
}

/* The nearest level upward that tells: only groups with the controller have the file. */
static int read_cpuset(struct probe *p, const struct hierarchy *h, struct cpulist *out)
{
	static const char *const files_v2[] = { "cpuset.cpus.effective", NULL };
	static const char *const files_v1[] = { "cpuset.effective_cpus", "cpuset.cpus",
						"effective_cpus", "cpus", NULL };
	CLEANUP(xfree) char *own = xstrdup(h->own);
	const char *const *file;

	do {
		for (file = h->is_v2 ? files_v2 : files_v1; *file; file++) {
			CLEANUP(cpulist_done) struct cpulist set = { 0 };
			CLEANUP(xfree) char *text = NULL;

			if (sysroot_read_text(p->root, &text, "%s%s/%s", h->point, own, *file) ||
			    cpulist_parse(text, &set) || cpulist_count(&set) == 0)
				continue;
			cpulist_done(out);
			*out = set;
			set = (struct cpulist){ 0 };
			return 0;
		}
	} while (cgroup_climb(own));
	return -ENOENT;
}

int cgroup_cpuset(struct probe *p, struct cpulist *out)
{
	size_t i;

	for (i = 0; i < p->cgroups.n_items; i++) {
		const struct hierarchy *one = &p->cgroups.items[i];

		if (!one->is_v2 && !has_word(one->controllers, "cpuset"))
			continue;
		if (read_cpuset(p, one, out) == 0)
			return 0;
	}
	return -ENOENT;
}

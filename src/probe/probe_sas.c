/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_sas - where SAS puts its temporary files, and what that shares with the targets
 *
 * The configuration is read by a child with a deadline, since SAS is often installed on a file
 * server, and only the options that matter are kept, as the fact "os/sas". What the places lie on
 * is learned from the mount table: their own mounts are never touched.
 */
#include "probe_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/child.h"
#include "iotest/xalloc.h"
#include "sas_config.h"

#define DEADLINE_NS (3 * NS_PER_S)
#define FILES_MAX 32
#define LINKS_MAX 40

/* Where an installation of SAS 9.4 or of the SAS runtime of Viya has its configuration. */
static const char *const usual_homes[] = {
	"/usr/local/SASHome/SASFoundation/9.4",	    "/opt/SASHome/SASFoundation/9.4",
	"/opt/sas/SASHome/SASFoundation/9.4",	    "/opt/sas/sashome/SASFoundation/9.4",
	"/sas/SASHome/SASFoundation/9.4",	    "/SASHome/SASFoundation/9.4",
	"/opt/sas/spre/home/SASFoundation",	    "/opt/sas/viya/home/SASFoundation",
	"/usr/local/sas/SASHome/SASFoundation/9.4",
};
static const char *const usual_files[] = { "sasv9.cfg", "sasv9_local.cfg" };

struct search {
	const struct probe *probe;
	const char *given;
};

/* One file and those that it names. */
static void read_config(const struct sysroot *root, const char *path, struct sas_config *config,
			struct strlist *files)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t i;

	if (files->n_items >= FILES_MAX || sysroot_read(root, &text, "%s", path))
		return;
	for (i = 0; i < files->n_items; i++)
		if (strcmp(files->items[i], path) == 0)
			return;
	strlist_add(files, path);
	i = config->includes.n_items;
	sas_config_parse(buf_text(&text), config);
	for (; i < config->includes.n_items; i++) {
		CLEANUP(xfree) char *include = xstrdup(config->includes.items[i]);

		if (*include == '/')
			read_config(root, include, config, files);
	}
}

static void read_usual(const struct sysroot *root, const struct mounts *mounts,
		       struct sas_config *config, struct strlist *files)
{
	for (size_t i = 0; i < ARRAY_LEN(usual_homes); i++) {
		const struct mount *m = mounts_find(mounts, usual_homes[i]);

		/* A file server is not asked for what may not be there. */
		if (m && fs_kind(m->fs_type) == TARGET_NETWORK)
			continue;
		for (size_t k = 0; k < ARRAY_LEN(usual_files); k++) {
			CLEANUP(xfree)
			char *path = xasprintf("%s/%s", usual_homes[i], usual_files[k]);

			read_config(root, path, config, files);
		}
	}
}

/* In the child. A text of one line: what would break it is left out. */
static void add_line(struct buf *out, const char *key, const char *value)
{
	if (value && !strpbrk(value, "\n\r"))
		buf_printf(out, "%s=%s\n", key, value);
}

static int work(void *context, struct buf *out)
{
	const struct search *search = context;
	CLEANUP(sas_config_done) struct sas_config config = { 0 };
	CLEANUP(strlist_done) struct strlist files = { 0 };
	CLEANUP(buf_done) struct buf list = { 0 };
	CLEANUP(xfree) char *tuned = NULL;
	CLEANUP(xfree) char *path = NULL;
	/* What else is in these files is no evidence. */
	struct sysroot root = *search->probe->root;

	root.evidence = NULL;
	if (search->given)
		path = realpath(search->given, NULL);
	if (path)
		read_config(&root, path, &config, &files);
	else if (!search->given)
		read_usual(&root, &search->probe->mounts, &config, &files);
	for (size_t i = 0; i < files.n_items; i++)
		buf_printf(&list, "%s%s", i ? " " : "", files.items[i]);
	add_line(out, "config", buf_text(&list));
	for (int i = 0; i < SAS_OPTION_COUNT; i++)
		add_line(out, sas_option_name(i), config.values[i]);
	if (sysroot_read_text(&root, &tuned, "/etc/tuned/active_profile") == 0)
		add_line(out, "tuned", tuned);
	return 0;
}

static int config_write(void *context, struct buf *out)
{
	return child_run(work, context, DEADLINE_NS, out);
}

static void take(const char *fact, const char *key, char **out)
{
	CLEANUP(xfree) char *value = NULL;

	if (fact_text(fact, key, &value) == 0 && *value)
		xstr_set(out, value);
}

/* --- places --- */

/* The target of a link, seen from the directory that it lies in; to be freed. */
static char *followed(const char *dir, const char *link, const char *rest)
{
	return *link == '/' ? xasprintf("%s%s", link, rest) : xasprintf("%s/%s%s", dir, link, rest);
}

/*
 * Follows symbolic links as far as they lie on file systems of this host; beyond that the path is
 * taken as it is. "." and ".." end it as well. To be freed.
 */
static char *resolve_local(struct probe *p, const char *path)
{
	char *at = xstrdup(path);
	size_t done = 0; /* of at, without links */

	for (int links = 0; at[done];) {
		size_t end = done + 1 + strcspn(at + done + 1, "/");
		CLEANUP(xfree) char *prefix = xstrndup(at, end);
		CLEANUP(xfree) char *dir = xstrndup(at, done);
		CLEANUP(xfree) char *link = NULL;
		const struct mount *m = mounts_find(&p->mounts, *dir ? dir : "/");
		char *next;

		if (!m || fs_kind(m->fs_type) == TARGET_NETWORK || strstr(prefix, "/.") ||
		    fs_kind(m->fs_type) == TARGET_USERSPACE)
			break;
		if (sysroot_read_link(p->root, &link, "%s", prefix)) {
			done = end;
			continue;
		}
		if (++links > LINKS_MAX)
			break;
		next = followed(dir, link, at + end);
		free(at);
		at = next;
		done = 0;
	}
	return at;
}

/* The volume group in "group-volume" of device mapper, where a dash in a name is doubled. */
static char *group_of(const struct device *d)
{
	struct buf group = { 0 };

	if (strncmp(text_of(d->dm_uuid), "LVM-", 4) != 0)
		return NULL;
	for (const char *c = text_of(d->dm_name); *c; c++) {
		if (*c == '-' && c[1] != '-')
			break;
		c += *c == '-';
		buf_add(&group, c, 1);
	}
	return buf_take(&group);
}

static void take_devices(struct sas_place *place, const struct target *t)
{
	CLEANUP(buf_done) struct buf disks = { 0 };

	for (size_t i = 0; i < t->n_devices; i++) {
		const struct device *d = &t->devices[i];

		if (!*text_of(place->volume_group)) {
			free(place->volume_group);
			place->volume_group = group_of(d);
		}
		if (d->is_leaf == 1)
			buf_printf(&disks, "%s%s", disks.len ? " " : "", text_of(d->name));
	}
	if (disks.len)
		xstr_set(&place->disks, buf_text(&disks));
}

static struct sas_place *add_place(struct host *host, const char *name, const char *path)
{
	struct sas_place *place = XGROW(&host->sas.places, &host->sas.n_places);

	place->name = xstrdup(name);
	place->path = xstrdup(path);
	return place;
}

static void add_target(struct host *host, const struct target *t)
{
	struct sas_place *place = add_place(host, "target", text_of(t->path));

	xstr_set(&place->mount_point, t->mount_point);
	xstr_set(&place->mount_source, t->mount_source);
	xstr_set(&place->fs_type, t->fs_type);
	take_devices(place, t);
}

static void add_path(struct probe *p, const char *name, const char *path)
{
	CLEANUP(xfree) char *real = NULL;
	struct sas_place *place;
	const struct mount *m;
	struct target t;

	/* "~", "!SASROOT" and "${X}" are known to SAS only. */
	if (*path != '/' || strpbrk(path, "$!"))
		return;
	real = resolve_local(p, path);
	m = mounts_find(&p->mounts, real);
	place = add_place(p->host, name, path);
	if (!m)
		return;
	xstr_set(&place->mount_point, m->point);
	xstr_set(&place->mount_source, m->source);
	xstr_set(&place->fs_type, m->fs_type);
	schema_init(&target_schema, &t);
	probe_devices(p, &t, m);
	take_devices(place, &t);
	schema_done(&target_schema, &t);
}

/* UTILLOC may have several. */
static void add_paths(struct probe *p, const char *name, const char *paths)
{
	for (const char *at = paths + strspn(paths, " "); *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");
		CLEANUP(xfree) char *path = xstrndup(at, len);

		add_path(p, name, path);
		at += len;
	}
}

/* The first of the words that the other has, too; to be freed, NULL: none. */
static char *common_word(const char *a, const char *b)
{
	for (; *a; a += strspn(a, " ")) {
		size_t len = strcspn(a, " ");

		for (const char *at = b; *at; at += strspn(at, " ")) {
			size_t n = strcspn(at, " ");

			if (n == len && strncmp(a, at, len) == 0)
				return xstrndup(a, len);
			at += n;
		}
		a += len;
	}
	return NULL;
}

static void add_share(struct host *host, const struct sas_place *a, const struct sas_place *b,
		      const char *level, const char *what)
{
	struct sas_share *share = XGROW(&host->sas.shares, &host->sas.n_shares);

	share->first = xstrdup(a->name);
	share->second = xstrdup(b->name);
	share->level = xstrdup(level);
	share->what = xstrdup(what);
}

static bool same(const char *a, const char *b)
{
	return *text_of(a) && strcmp(a, text_of(b)) == 0;
}

/* The highest level that two of them share. */
static void compare(struct host *host, const struct sas_place *a, const struct sas_place *b)
{
	CLEANUP(xfree) char *disk = common_word(text_of(a->disks), text_of(b->disks));

	if (same(a->mount_point, b->mount_point) ||
	    (same(a->mount_source, b->mount_source) && *a->mount_source == '/'))
		add_share(host, a, b, "file system", a->mount_point);
	else if (same(a->volume_group, b->volume_group))
		add_share(host, a, b, "volume group", a->volume_group);
	else if (disk)
		add_share(host, a, b, "disk", disk);
}

static void add_places(struct probe *p)
{
	struct host *host = p->host;

	add_paths(p, "WORK", text_of(host->sas.work));
	add_paths(p, "UTILLOC", text_of(host->sas.utilloc));
	for (size_t i = 0; i < host->n_targets; i++)
		add_target(host, &host->targets[i]);
	for (size_t i = 0; i < host->sas.n_places; i++)
		for (size_t k = i + 1; k < host->sas.n_places; k++)
			compare(host, &host->sas.places[i], &host->sas.places[k]);
}

void probe_sas(struct probe *p, const char *config)
{
	struct search search = { .probe = p, .given = config };
	CLEANUP(buf_done) struct buf fact = { 0 };
	struct host *host = p->host;
	int rc = probe_fact(p->root, "os/sas", config_write, &search, &fact);

	take(buf_text(&fact), "config", &host->sas.config);
	take(buf_text(&fact), "work", &host->sas.work);
	take(buf_text(&fact), "utilloc", &host->sas.utilloc);
	take(buf_text(&fact), "memsize", &host->sas.memsize);
	take(buf_text(&fact), "bufsize", &host->sas.bufsize);
	take(buf_text(&fact), "tuned", &host->tuned_profile);
	if (config && (rc || !*text_of(host->sas.config)))
		host_note(host, "sas", "%s: this configuration of SAS could not be read", config);
	if (*text_of(host->sas.work) || *text_of(host->sas.utilloc))
		add_places(p);
}

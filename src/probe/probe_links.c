/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_links - Fibre Channel ports, iSCSI sessions, network and InfiniBand links
 *
 * As sysfs describes them. Links that are down are told as well; interfaces of containers and the
 * loopback are not.
 */
#include "probe_parts.h"

#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"

#define LINKS_MAX 256

/* One class of links: its folder, and the files of state, speed and packet size; NULL: none. */
static const struct class
{
	const char *kind;
	const char *dir;
	const char *state;
	const char *speed;
	const char *unit; /* of speed, where the file has none */
	const char *mtu;
	const char *only_with; /* a file that real ones have */
} classes[] = {
	{ "fibre channel", "/sys/class/fc_host", "port_state", "speed", "", NULL, NULL },
	{ "iscsi", "/sys/class/iscsi_session", "state", NULL, "", NULL, NULL },
	{ "network", "/sys/class/net", "operstate", "speed", " Mb/s", "mtu", "device" },
	{ "network", "/sys/class/net", "operstate", "speed", " Mb/s", "mtu", "bonding/mode" },
	{ "infiniband", "/sys/class/infiniband", "ports/1/state", "ports/1/rate", "", NULL, NULL },
};

static char *read_text(const struct probe *p, const struct class *c, const char *name,
		       const char *file)
{
	char *text = NULL;

	if (!file || sysroot_read_text(p->root, &text, "%s/%s/%s", c->dir, name, file))
		return NULL;
	return text;
}

static void add_link(struct probe *p, const struct class *c, const char *name)
{
	CLEANUP(xfree) char *speed = read_text(p, c, name, c->speed);
	struct link *link;
	int64_t mtu;

	if (p->host->n_links >= LINKS_MAX)
		return;
	link = XGROW(&p->host->links, &p->host->n_links);
	link->name = xstrdup(name);
	link->kind = xstrdup(c->kind);
	link->state = read_text(p, c, name, c->state);
	/* -1: it is down. */
	if (speed && *speed && *speed != '-')
		link->speed = xasprintf("%s%s", speed, c->unit);
	link->mtu_bytes = -1;
	if (c->mtu && sysroot_read_i64(p->root, &mtu, "%s/%s/%s", c->dir, name, c->mtu) == 0)
		link->mtu_bytes = mtu;
}

void probe_links(struct probe *p)
{
	for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
		const struct class *c = &classes[i];
		CLEANUP(strlist_done) struct strlist names = { 0 };

		if (sysroot_list(p->root, &names, "%s", c->dir))
			continue;
		for (size_t k = 0; k < names.n_items; k++)
			if (!c->only_with ||
			    sysroot_has(p->root, "%s/%s/%s", c->dir, names.items[k], c->only_with))
				add_link(p, c, names.items[k]);
	}
}

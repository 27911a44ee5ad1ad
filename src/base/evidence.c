/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence - what the probe read, as a tree of files kept in memory
 */
#include "iotest/evidence.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/buf.h"
#include "iotest/xalloc.h"

#define FIRST_SLOTS 256

void evidence_done(struct evidence *e)
{
	for (size_t i = 0; i < e->n_items; i++) {
		free(e->items[i].path);
		free(e->items[i].data);
	}
	free(e->items);
	free(e->slots);
	*e = (struct evidence){ 0 };
}

char *evidence_path(const char *path)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	while (*path) {
		size_t len = strcspn(path, "/");
		bool is_dot = len == 1 && path[0] == '.';

		if (len > 0 && !is_dot) {
			if (b.len)
				buf_add_text(&b, "/");
			if (len == 2 && strncmp(path, "..", 2) == 0)
				buf_add_text(&b, "@parent");
			else
				buf_add(&b, path, len);
		}
		path += len;
		path += *path == '/';
	}
	return buf_take(&b);
}

/* FNV-1a */
static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

/* Where path is, or the empty slot where it belongs. n_slots is a power of two. */
static uint32_t *slot_of(const struct evidence *e, const char *path)
{
	size_t i = hash(path) & (e->n_slots - 1);

	while (e->slots[i] && strcmp(e->items[e->slots[i] - 1].path, path) != 0)
		i = (i + 1) & (e->n_slots - 1);
	return &e->slots[i];
}

/* Keeps the table at most half full. */
static void reserve_slot(struct evidence *e)
{
	if (2 * (e->n_items + 1) <= e->n_slots)
		return;
	free(e->slots);
	e->n_slots = e->n_slots ? 2 * e->n_slots : FIRST_SLOTS;
	e->slots = xcalloc(e->n_slots, sizeof(*e->slots));
	for (size_t i = 0; i < e->n_items; i++)
		*slot_of(e, e->items[i].path) = (uint32_t)i + 1;
}

/* The item of path, or a new one that has no data yet. */
static struct evidence_item *item_of(struct evidence *e, const char *path)
{
	CLEANUP(xfree) char *key = evidence_path(path);
	struct evidence_item *item;
	uint32_t *slot;

	reserve_slot(e);
	slot = slot_of(e, key);
	if (*slot)
		return &e->items[*slot - 1];
	item = XGROW(&e->items, &e->n_items);
	*slot = (uint32_t)e->n_items;
	item->path = key;
	key = NULL;
	return item;
}

void evidence_add(struct evidence *e, const char *path, enum evidence_kind kind, const void *data,
		  size_t len, int error)
{
	struct evidence_item *item = item_of(e, path);

	if (item->data && !(item->kind == EVIDENCE_PRESENT && kind == EVIDENCE_FILE))
		return;
	free(item->data);
	item->kind = kind;
	item->error = error;
	item->data = xcalloc(len + 1, 1);
	if (len)
		memcpy(item->data, data, len);
	item->len = len;
}

const struct evidence_item *evidence_find(const struct evidence *e, const char *path)
{
	CLEANUP(xfree) char *key = evidence_path(path);
	uint32_t slot = e->n_slots ? *slot_of(e, key) : 0;

	return slot ? &e->items[slot - 1] : NULL;
}

/* "13\tsys/x\tPermission denied" */
static void add_error_line(struct evidence *e, const char *line, size_t len)
{
	CLEANUP(xfree) char *path = NULL;
	const char *tab = memchr(line, '\t', len);
	const char *end = line + len;
	const char *stop;
	long error;

	if (!tab)
		return;
	error = strtol(line, NULL, 10);
	if (error <= 0 || error > 4095)
		return;
	stop = memchr(tab + 1, '\t', (size_t)(end - tab - 1));
	path = xstrndup(tab + 1, (size_t)((stop ? stop : end) - tab - 1));
	evidence_add(e, path, EVIDENCE_ERROR, NULL, 0, (int)error);
}

void evidence_add_errors(struct evidence *e, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		add_error_line(e, text, len);
		text += len;
		text += *text == '\n';
	}
}

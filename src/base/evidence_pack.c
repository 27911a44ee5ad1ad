/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence_pack - the evidence as bytes, for the pipe from a child to its parent
 */
#include "iotest/evidence.h"

#include <errno.h>
#include <string.h>

/* What stands before each item; its path with a zero and its data follow. */
struct head {
	int kind;
	int error;
	size_t path_size;
	size_t len;
};

void evidence_pack(const struct evidence *e, struct buf *out)
{
	for (size_t i = 0; i < e->n_items; i++) {
		const struct evidence_item *item = &e->items[i];
		const struct head head = {
			.kind = (int)item->kind,
			.error = item->error,
			.path_size = strlen(item->path) + 1,
			.len = item->len,
		};

		buf_add(out, &head, sizeof(head));
		buf_add(out, item->path, head.path_size);
		buf_add(out, item->data, item->len);
	}
}

int evidence_unpack(struct evidence *e, const void *data, size_t len)
{
	const char *at = data;

	while (len > 0) {
		const char *path = at + sizeof(struct head);
		struct head head;

		if (len < sizeof(head))
			return -EINVAL;
		memcpy(&head, at, sizeof(head));
		len -= sizeof(head);
		if (head.path_size == 0 || head.path_size > len || path[head.path_size - 1] ||
		    head.len > len - head.path_size)
			return -EINVAL;
		evidence_add(e, path, (enum evidence_kind)head.kind, path + head.path_size,
			     head.len, head.error);
		at = path + head.path_size + head.len;
		len -= head.path_size + head.len;
	}
	return 0;
}

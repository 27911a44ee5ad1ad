/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry - the fields of a row: its columns, its JSON and its CSV are made of this table
 *
 * A new field goes to the end, with a step in store.c that adds its column.
 */
#include <stdlib.h>

#include "iotest/history.h"

#define TEXT(member, doc)                                                                          \
	{                                                                                          \
#member, FIELD_TEXT, offsetof(struct history_entry, member), NULL, 0, NULL, 0, doc \
	}
#define I64(member, doc)                                                                          \
	{                                                                                         \
#member, FIELD_I64, offsetof(struct history_entry, member), NULL, 0, NULL, 0, doc \
	}
#define RATE(member, doc)                                                                        \
	{                                                                                        \
#member, FIELD_DOUBLE, offsetof(struct history_entry, member), NULL, 0, NULL, 0, \
			doc                                                                      \
	}

static const struct field fields[] = {
	TEXT(id, "id of the run"),
	I64(started_at_ns, "wall clock, since 1970, UTC"),
	TEXT(command, "run or check"),
	TEXT(host, "host name"),
	TEXT(target, "directory"),
	TEXT(method, "how it was measured; unlike ones are not to be compared"),
	TEXT(plan, "what else two runs that are compared have in common"),
	TEXT(tool_version, "version of iotest"),
	TEXT(verdict, "pass, below, inconclusive or invalid"),
	TEXT(verdict_text, "the sentence of the verdict"),
	I64(exit_status, "exit status of the run"),
	RATE(requirement_mib_per_s, "requirement, MiB/s per core"),
	RATE(write_mib_per_s, "judged, MiB/s per core"),
	RATE(write_lowest_mib_per_s, "of the repeated runs"),
	RATE(write_highest_mib_per_s, "of the repeated runs"),
	RATE(read_mib_per_s, "judged, MiB/s per core"),
	RATE(read_lowest_mib_per_s, "of the repeated runs"),
	RATE(read_highest_mib_per_s, "of the repeated runs"),
	RATE(mixed_mib_per_s, "judged, MiB/s per core"),
	RATE(mixed_lowest_mib_per_s, "of the repeated runs"),
	RATE(mixed_highest_mib_per_s, "of the repeated runs"),
	TEXT(settings, "settings of the host that matter, name=value lines"),
	TEXT(bundle, "where the evidence was written"),
	TEXT(line, "what a check told the monitoring system"),
};

const struct schema history_entry_schema = {
	.name = "history_entry",
	.size = sizeof(struct history_entry),
	.fields = fields,
	.n_fields = ARRAY_LEN(fields),
};

void history_list_done(struct history_list *list)
{
	for (size_t i = 0; i < list->n_items; i++)
		schema_done(&history_entry_schema, &list->items[i]);
	free(list->items);
	*list = (struct history_list){ 0 };
}

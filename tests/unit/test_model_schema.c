/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_model_schema - the tables describe whole structs, and copies are deep
 */
#include "suite.h"

#include <string.h>

#include "iotest/report.h"
#include "iotest/xalloc.h"

START_TEST(init_makes_everything_unknown)
{
	struct host h;

	memset(&h, 0x5a, sizeof(h));
	host_init(&h);
	ck_assert_int_eq(h.physical_cores, -1);
	ck_assert_double_lt(h.cpu_quota_cores, 0);
	ck_assert_int_eq(h.os.in_pod, -1);
	ck_assert_ptr_null(h.name);
	ck_assert_uint_eq(h.n_targets, 0);
	host_done(&h);
	host_done(&h);
}
END_TEST

START_TEST(a_copy_owns_its_own)
{
	struct host a;
	struct host b;
	struct target *t;

	host_init(&a);
	a.name = xstrdup("one");
	a.memory_bytes = 7;
	t = XGROW(&a.targets, &a.n_targets);
	schema_init(&target_schema, t);
	t->path = xstrdup("/x");
	XGROW(&t->devices, &t->n_devices)->name = xstrdup("sda");
	host_note(&a, "cores", "%d of %d", 1, 2);
	host_copy(&a, &b);
	host_done(&a);
	ck_assert_str_eq(b.name, "one");
	ck_assert_int_eq(b.memory_bytes, 7);
	ck_assert_str_eq(b.targets[0].path, "/x");
	ck_assert_str_eq(b.targets[0].devices[0].name, "sda");
	ck_assert_str_eq(b.notes[0].text, "1 of 2");
	host_done(&b);
}
END_TEST

/* A member that has no row would leak, and be lost on the way through JSON. Lists count their
 * pointer and their size_t, padding is at most one word per struct. */
static size_t described(const struct schema *s)
{
	size_t bytes = 0;

	for (size_t i = 0; i < s->n_fields; i++) {
		const struct field *f = &s->fields[i];

		switch (f->type) {
		case FIELD_TEXT:
		case FIELD_I64:
		case FIELD_DOUBLE:
			bytes += 8;
			break;
		case FIELD_BOOL:
		case FIELD_ENUM:
			bytes += 4;
			break;
		case FIELD_STRUCT:
			bytes += f->sub->size;
			break;
		case FIELD_LIST:
			bytes += 16;
			break;
		}
	}
	return bytes;
}

START_TEST(every_member_has_a_row)
{
	static const struct schema *const all[] = {
		&host_schema, &target_schema, &device_schema,  &plan_schema,   &phase_schema,
		&run_schema,  &rates_schema,  &finding_schema, &verdict_schema
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		size_t n = described(all[i]);

		/* Each lone int between 8-byte members costs 4 bytes of padding. */
		ck_assert_msg(n <= all[i]->size && all[i]->size - n <= 4 * all[i]->n_fields / 2,
			      "%s: %zu of %zu bytes have rows", all[i]->name, n, all[i]->size);
		for (size_t k = 0; k < all[i]->n_fields; k++)
			ck_assert_int_gt((int)strlen(all[i]->fields[k].doc), 3);
	}
}
END_TEST

SUITE_MAIN("schema", init_makes_everything_unknown, a_copy_owns_its_own, every_member_has_a_row)

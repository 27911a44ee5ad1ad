/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_model_schema - the tables describe whole structs, and copies are deep
 */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#include "iotest/report.h"
#include "iotest/xalloc.h"
/* Its table is private to the file; the archive's copy of it is not linked then. */
#include "model/report.c"

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

/*
 * A member that has no row would leak, and be lost on the way through JSON. So each byte of a
 * struct must belong to a row, or be padding: by the rules of alignment, and, where the compiler
 * tells, by its word. Only the latter finds an int that hides where padding was.
 */
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define CLEAR_PADDING(o) __builtin_clear_padding(o)
#endif
#endif
#ifndef CLEAR_PADDING
#define CLEAR_PADDING(o) ((void)(o))
#define PADDING_IS_UNKNOWN 1
#else
#define PADDING_IS_UNKNOWN 0
#endif

#define STRUCTS(X)        \
	X(host)           \
	X(note)           \
	X(core_kind)      \
	X(core)           \
	X(cpu)            \
	X(os)             \
	X(link)           \
	X(setting)        \
	X(sas)            \
	X(sas_place)      \
	X(sas_share)      \
	X(error_count)    \
	X(brake_facts)    \
	X(kernel_message) \
	X(device)         \
	X(target)         \
	X(plan)           \
	X(reason)         \
	X(io_spec)        \
	X(run)            \
	X(phase)          \
	X(worker_result)  \
	X(device_count)   \
	X(series_point)   \
	X(call_time)      \
	X(report)         \
	X(phase_rates)    \
	X(round)          \
	X(repeat)         \
	X(advice)         \
	X(finding)        \
	X(verdict)

#define DEFINE_CLEAR(S)                            \
	static void clear_##S(void *object)        \
	{                                          \
		CLEAR_PADDING((struct S *)object); \
	}
STRUCTS(DEFINE_CLEAR)

static const struct {
	const char *name;
	size_t size;
	size_t alignment;
	void (*clear_padding)(void *object);
} structs[] = {
#define STRUCT_ROW(S) { #S, sizeof(struct S), _Alignof(struct S), clear_##S },
	STRUCTS(STRUCT_ROW)
};

static size_t struct_index(const struct schema *s)
{
	size_t i = 0;

	while (i < ARRAY_LEN(structs) && strcmp(structs[i].name, s->name))
		i++;
	ck_assert_msg(i < ARRAY_LEN(structs), "add struct %s to STRUCTS", s->name);
	ck_assert_uint_eq(structs[i].size, s->size);
	return i;
}

struct span {
	size_t offset;
	size_t size;
	size_t alignment;
};

#define SPAN_OF(type, at) ((struct span){ (at), sizeof(type), _Alignof(type) })

static struct span span_of(const struct field *f)
{
	switch (f->type) {
	case FIELD_TEXT:
	case FIELD_LIST:
		return SPAN_OF(void *, f->offset);
	case FIELD_I64:
		return SPAN_OF(int64_t, f->offset);
	case FIELD_DOUBLE:
		return SPAN_OF(double, f->offset);
	case FIELD_BOOL:
	case FIELD_ENUM:
		return SPAN_OF(int, f->offset);
	case FIELD_STRUCT:
		break;
	}
	return (struct span){ f->offset, f->sub->size, structs[struct_index(f->sub)].alignment };
}

static int by_offset(const void *a, const void *b)
{
	const struct span *x = a;
	const struct span *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The members that rows describe, in their order; and the three that a report borrows. */
static struct span *spans_of(const struct schema *s, size_t *n)
{
	struct span *spans = NULL;

	*n = 0;
	for (size_t i = 0; i < s->n_fields; i++) {
		const struct field *f = &s->fields[i];

		*XGROW(&spans, n) = span_of(f);
		if (f->type == FIELD_LIST)
			*XGROW(&spans, n) = SPAN_OF(size_t, f->count_offset);
	}
	if (s == &report_schema) {
		*XGROW(&spans, n) = SPAN_OF(void *, offsetof(struct report, host));
		*XGROW(&spans, n) = SPAN_OF(void *, offsetof(struct report, plan));
		*XGROW(&spans, n) = SPAN_OF(void *, offsetof(struct report, run));
	}
	qsort(spans, *n, sizeof(*spans), by_offset);
	return spans;
}

static size_t align_up(size_t offset, size_t alignment)
{
	return (offset + alignment - 1) / alignment * alignment;
}

static void rows_lie_side_by_side(const struct schema *s)
{
	size_t n;
	CLEANUP(xfree) struct span *spans = spans_of(s, &n);
	size_t end = 0;

	for (size_t i = 0; i < n; i++) {
		ck_assert_msg(spans[i].offset == align_up(end, spans[i].alignment),
			      "struct %s: rows end at byte %zu, and the next begins at %zu",
			      s->name, end, spans[i].offset);
		end = spans[i].offset + spans[i].size;
	}
	ck_assert_msg(s->size == align_up(end, structs[struct_index(s)].alignment),
		      "struct %s: rows end at byte %zu of %zu", s->name, end, s->size);
}

static void only_padding_lies_between(const struct schema *s)
{
	size_t n;
	CLEANUP(xfree) struct span *spans = spans_of(s, &n);
	CLEANUP(xfree) unsigned char *is_member = xcalloc(1, s->size);

	memset(is_member, 1, s->size);
	structs[struct_index(s)].clear_padding(is_member);
	for (size_t i = 0; i < n; i++)
		memset(is_member + spans[i].offset, 0, spans[i].size);
	for (size_t i = 0; i < s->size; i++)
		ck_assert_msg(PADDING_IS_UNKNOWN || !is_member[i],
			      "struct %s: the member at byte %zu has no row", s->name, i);
}

static void every_row_is_documented(const struct schema *s)
{
	for (size_t i = 0; i < s->n_fields; i++)
		ck_assert_msg(s->fields[i].doc && strlen(s->fields[i].doc) > 3, "%s.%s", s->name,
			      s->fields[i].key);
}

static void walk(const struct schema *s, void (*visit)(const struct schema *s))
{
	visit(s);
	for (size_t i = 0; i < s->n_fields; i++)
		if (s->fields[i].sub)
			walk(s->fields[i].sub, visit);
}

static void walk_all(void (*visit)(const struct schema *s))
{
	walk(&host_schema, visit);
	walk(&plan_schema, visit);
	walk(&run_schema, visit);
	walk(&report_schema, visit);
}

START_TEST(every_member_has_a_row)
{
	walk_all(rows_lie_side_by_side);
	walk_all(only_padding_lies_between);
}
END_TEST

START_TEST(every_row_says_what_it_is)
{
	walk_all(every_row_is_documented);
}
END_TEST

SUITE_MAIN("schema", init_makes_everything_unknown, a_copy_owns_its_own, every_member_has_a_row,
	   every_row_says_what_it_is)

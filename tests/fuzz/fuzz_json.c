/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_json - changes values of a JSON and leaves it one
 */
#include "fuzz_json.h"

#include <inttypes.h>
#include <jansson.h>

#include "fuzz.h"

#define CHANGES_MAX 4
#define TEXT_MAX 256

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* A place that holds a value: of an object if key is set, else of an array. */
struct slot {
	json_t *parent;
	const char *key;
	size_t index;
	json_t *value;
};

struct slots {
	struct slot *items;
	size_t n_items;
};

static void slots_done(struct slots *slots)
{
	free(slots->items);
}

static void json_unref(json_t **json)
{
	json_decref(*json);
}

/* xorshift: the same seed makes the same changes. */
static uint32_t draw(uint32_t *state, uint32_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state % n;
}

/* Counted first: growing by one is slow with ASan, which moves the whole each time. What is no
 * array or object has no elements. */
static size_t count_slots(json_t *json)
{
	size_t n = json_array_size(json) + json_object_size(json);

	for (size_t i = 0; i < json_array_size(json); i++)
		n += count_slots(json_array_get(json, i));
	for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at))
		n += count_slots(json_object_iter_value(at));
	return n;
}

static void collect(json_t *json, struct slots *out)
{
	for (size_t i = 0; i < json_array_size(json); i++) {
		json_t *value = json_array_get(json, i);

		out->items[out->n_items++] = (struct slot){ json, NULL, i, value };
		collect(value, out);
	}
	for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at)) {
		json_t *value = json_object_iter_value(at);

		out->items[out->n_items++] =
			(struct slot){ json, json_object_iter_key(at), 0, value };
		collect(value, out);
	}
}

static json_t *odd_number(uint32_t *state)
{
	static const int64_t odd[] = { 0,
				       1,
				       2,
				       5,
				       11,
				       100,
				       4095,
				       4096,
				       65536,
				       1000000000,
				       2000000000,
				       INT32_MAX,
				       UINT32_MAX,
				       1LL << 40,
				       INT64_MAX / 1024,
				       INT64_MAX / 512 + 1,
				       INT64_MAX - 1,
				       INT64_MAX,
				       -1,
				       -2,
				       INT64_MIN };

	return json_integer(odd[draw(state, ARRAY_LEN(odd))]);
}

static json_t *odd_real(uint32_t *state)
{
	static const double odd[] = { 0, 1e-300, 0.001, 1, 99.5, 100, 1e9, 1e18, 1e19, 1e300, -1 };

	return json_real(odd[draw(state, ARRAY_LEN(odd))]);
}

static json_t *other_text(const json_t *text)
{
	uint8_t bytes[TEXT_MAX];
	size_t size = json_string_length(text);

	if (size > sizeof(bytes))
		size = sizeof(bytes);
	memcpy(bytes, json_string_value(text), size);
	size = LLVMFuzzerMutate(bytes, size, sizeof(bytes));
	return json_stringn((const char *)bytes, size); /* NULL: no UTF-8 */
}

static json_t *near_number(const json_t *number, uint32_t *state)
{
	json_int_t n = json_integer_value(number);

	switch (draw(state, 4)) {
	case 0:
		return json_integer(n / 2);
	case 1:
		return json_integer(n > 0 && n < INT64_MAX / 2 ? n * 2 : n);
	case 2:
		return json_integer(n < INT64_MAX ? n + 1 : n);
	default:
		return json_integer(n > INT64_MIN ? n - 1 : n);
	}
}

/* Another value of the same type; NULL: none was found. */
static json_t *other_value(const json_t *value, uint32_t *state)
{
	switch (json_typeof(value)) {
	case JSON_INTEGER:
		return draw(state, 2) ? odd_number(state) : near_number(value, state);
	case JSON_REAL:
		return odd_real(state);
	case JSON_STRING:
		return other_text(value);
	case JSON_TRUE:
		return json_false();
	case JSON_FALSE:
		return json_true();
	case JSON_NULL:
		return draw(state, 2) ? odd_number(state) : odd_real(state);
	case JSON_OBJECT:
	case JSON_ARRAY:
		break;
	}
	return NULL;
}

static void put(const struct slot *slot, json_t *value)
{
	if (!value)
		return;
	if (slot->key)
		json_object_set_new(slot->parent, slot->key, value);
	else
		json_array_set_new(slot->parent, slot->index, value);
}

static void remove_value(const struct slot *slot)
{
	if (slot->key)
		json_object_del(slot->parent, slot->key);
	else
		json_array_remove(slot->parent, slot->index);
}

/* An element comes several times more. */
static void repeat_value(const struct slot *slot, uint32_t *state)
{
	uint32_t n = 1 + draw(state, 12);

	for (uint32_t i = 0; !slot->key && i < n; i++)
		json_array_append_new(slot->parent, json_deep_copy(slot->value));
}

/* One that stands elsewhere, preferably under the same key. */
static void put_another(const struct slot *slot, const struct slots *all, uint32_t *state)
{
	size_t first = draw(state, (uint32_t)all->n_items);

	for (size_t i = 0; slot->key && i < all->n_items; i++) {
		const struct slot *s = &all->items[(first + i) % all->n_items];

		if (s->key && s != slot && !strcmp(s->key, slot->key)) {
			put(slot, json_deep_copy(s->value));
			return;
		}
	}
	put(slot, json_deep_copy(all->items[first].value));
}

static void change(json_t *json, uint32_t *state)
{
	CLEANUP(slots_done) struct slots all = { 0 };
	const struct slot *slot;

	all.items = xcalloc(count_slots(json) + 1, sizeof(*all.items));
	collect(json, &all);
	if (!all.n_items)
		return;
	slot = &all.items[draw(state, (uint32_t)all.n_items)];
	switch (draw(state, 10)) {
	case 0:
		remove_value(slot);
		break;
	case 1:
		put(slot, json_null());
		break;
	case 2:
		put_another(slot, &all, state);
		break;
	case 3:
		repeat_value(slot, state);
		break;
	default:
		put(slot, other_value(slot->value, state));
	}
}

size_t fuzz_json_mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	uint32_t state = seed ? seed : 1;
	CLEANUP(json_unref)
	json_t *json = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	uint32_t n;
	size_t len;

	if (!json || draw(&state, 20) == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	n = 1 + draw(&state, CHANGES_MAX);
	for (uint32_t i = 0; i < n; i++)
		change(json, &state);
	len = json_dumpb(json, (char *)data, max_size, JSON_COMPACT);
	return len && len <= max_size ? len : LLVMFuzzerMutate(data, size, max_size);
}

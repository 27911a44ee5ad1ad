/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_json - changes values of a JSON and leaves it one
 */
#ifndef FUZZ_JSON_H
#define FUZZ_JSON_H

#include <stddef.h>
#include <stdint.h>

/* As LLVMFuzzerCustomMutator. Some of the time, and if it is no JSON, any byte is changed. */
size_t fuzz_json_mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golden - compare text with a file in tests/golden
 *
 * With UPDATE_GOLDEN=1 in the environment the file is written instead: read the diff then.
 */
#ifndef GOLDEN_H
#define GOLDEN_H

/* Fails the running test if text is not byte for byte the file. */
void golden_check(const char *name, const char *text);

#endif

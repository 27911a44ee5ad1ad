/* SPDX-License-Identifier: Apache-2.0 */
/*
 * environment - a process that starts the same way whoever starts it
 */
#ifndef IOTEST_ENVIRONMENT_H
#define IOTEST_ENVIRONMENT_H

/*
 * Clears the environment but for an allow-list, because libraries read it (hwloc would take a
 * whole machine from it), and gives descriptors 0 to 2 a meaning if they are closed, so that no
 * file of ours can become "standard output".
 */
void environment_tidy(void);

#endif

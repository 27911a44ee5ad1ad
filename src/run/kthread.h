/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kthread - which threads of the kernel there are, as far as they tell what others do to a device
 */
#ifndef IOTEST_RUN_KTHREAD_H
#define IOTEST_RUN_KTHREAD_H

#include "iotest/host.h"

/* Whether a thread of the kernel has that name: 1 or 0; -1 where no threads of the kernel can be
 * seen, as in most containers. proc is where that file system is mounted. */
int kthread_exists(const char *proc, const char *name);

/* Whether ext4 initialises inode tables that mkfs left out, of any file system. -1: not known, or
 * none of the targets has to do with it. */
int kthread_lazy_init(const struct host *host);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tasks - what each worker of a phase does, from the plan and what was written
 */
#ifndef IOTEST_RUN_TASKS_H
#define IOTEST_RUN_TASKS_H

#include <stddef.h>

#include "crew.h"
#include "ensemble.h"

struct task_list {
	struct crew_task *items;
	size_t n_items;
	struct io_spec **specs; /* of controls; their tasks borrow them */
	size_t n_specs;
};

/* Adds the tasks of one run for this phase; none if there is nothing to do. */
void tasks_add(const struct ensemble *x, const struct execution *e, int kind,
	       struct task_list *list);
void tasks_done(struct task_list *list);

/* Transfers at the same time on each file. */
int64_t tasks_depth(int kind, const struct plan *plan);

/* Several workers had a file together: one entry for each file, as if one had done it. */
void tasks_merge(int kind, const struct plan *plan, struct phase *phase);

#endif

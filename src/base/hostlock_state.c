/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostlock_state - what stands in the lock file, as text
 */
#include "hostlock_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iotest/buf.h"
#include "iotest/process.h"
#include "iotest/sysroot.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"

int64_t hostlock_process_start(int64_t pid)
{
	struct process process;

	return process_read(pid, &process) ? -1 : process.start;
}

void hostlock_state_format(const struct hostlock_holder *self, char out[HOSTLOCK_STATE_BYTES])
{
	CLEANUP(buf_done) struct buf targets = { 0 };

	buf_add_visible(&targets, self->targets ? self->targets : "");
	memset(out, 0, HOSTLOCK_STATE_BYTES);
	(void)snprintf(out, HOSTLOCK_STATE_BYTES,
		       "pid=%" PRId64 "\nprocess_start=%" PRId64 "\nsince_ns=%" PRId64
		       "\nphase=%s\nphase_since_ns=%" PRId64 "\ntargets=%s\n",
		       self->pid, hostlock_process_start(self->pid), self->since_ns,
		       self->phase ? self->phase : "", self->phase_since_ns, buf_text(&targets));
}

static int64_t number_in(const char *text, const char *key)
{
	int64_t n;

	return fact_i64(text, key, &n) || n < 0 ? -1 : n;
}

/* A terminal will show it: nothing in it may be more than text. */
static char *text_in(const char *text, const char *key)
{
	CLEANUP(xfree) char *value = NULL;
	struct buf visible = { 0 };

	if (fact_text(text, key, &value) == 0)
		buf_add_visible(&visible, value);
	return buf_take(&visible);
}

int64_t hostlock_state_parse(const char *text, size_t len, struct hostlock_holder *out)
{
	CLEANUP(xfree) char *copy = xstrndup(text, len);

	free(out->targets);
	free(out->phase);
	out->pid = number_in(copy, "pid");
	out->since_ns = number_in(copy, "since_ns");
	out->phase_since_ns = number_in(copy, "phase_since_ns");
	out->phase = text_in(copy, "phase");
	out->targets = text_in(copy, "targets");
	return number_in(copy, "process_start");
}

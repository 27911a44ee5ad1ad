/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_view - the figures of a phase that tell what limited it, and how they are worded
 */
#ifndef IOTEST_ANALYZE_LIMITS_VIEW_H
#define IOTEST_ANALYZE_LIMITS_VIEW_H

#include <stdbool.h>

#include "iotest/buf.h"
#include "iotest/report.h"

struct limit_device {
	const char *name;
	double in_flight; /* requests, on average; -1 */
	double busy_ratio;
};

/* The facts that the rows look at; -1 or "" where they are not known. */
struct limit_view {
	const struct report *r;
	int kind;
	const struct phase *phase;
	const struct phase_rates *rates;
	double seconds;
	double mib_per_s;	    /* what is judged, of all cores */
	double cpu_ratio;	    /* of the workers' time */
	struct limit_device device; /* with most requests in flight, whoever's they are */
	struct limit_device top;    /* of those that the file system lies on */
	int control_kind;	    /* PHASE_COUNT: none that compares */
	double control_mib_per_s;
	double foreign_ratio; /* of the bytes at foreign_device; -1 */
	const char *foreign_device;
	double call_ns;	 /* mean time of a call; -1 */
	double await_ns; /* of an operation of the topmost devices, this way; -1 */
};

/* Of a judged phase. Points into the report. */
void limit_view_make(const struct report *r, int phase_kind, struct limit_view *out);

/* At most 1: counters are read a moment after the phase. */
double limit_share(double ratio);

/* In percent, cut: 0.949 has not come to 95 %. */
double limit_percent(double ratio);

bool limit_control_is_faster(const struct limit_view *v);
bool limit_control_is_same(const struct limit_view *v);

/* Requests waited for the device, while the workers waited for them. */
bool limit_is_queued(const struct limit_view *v);

/* Hardly any request came to the topmost device. */
bool limit_is_idle(const struct limit_view *v);

void limit_say_control(const struct limit_view *v, struct buf *text);
void limit_say_workers(const struct limit_view *v, struct buf *text);
/* "1.2 requests in flight at sda" */
void limit_say_device(const struct limit_device *d, struct buf *text);
/* ", which was 97 % busy" */
void limit_say_busy(const struct limit_device *d, struct buf *text);
/* " (74 % of the bytes at sda were not ours)", where it was much */
void limit_say_others(const struct limit_view *v, struct buf *text);

#endif

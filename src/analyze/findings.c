/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings - the tables of judgements, applied
 */
#include "findings.h"

#include <stdlib.h>

#include "iotest/analyze.h"
#include "iotest/xalloc.h"

static const struct table {
	const struct judgement *rows;
	const size_t *n;
} tables[] = {
	{ run_judgements, &n_run_judgements },	   { alone_judgements, &n_alone_judgements },
	{ proof_judgements, &n_proof_judgements }, { time_judgements, &n_time_judgements },
	{ host_judgements, &n_host_judgements },   { evidence_judgements, &n_evidence_judgements },
};

static void apply(const struct judgement *j, struct report *r)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf advice = { 0 };
	struct finding *f;

	if (!j->check(r, &text, &advice))
		return;
	f = XGROW(&r->findings, &r->n_findings);
	f->id = xstrdup(j->id);
	f->severity = (int)j->severity;
	f->text = buf_take(&text);
	f->advice = buf_take(&advice);
}

/* Errors first, then warnings, then what is good to know; within that, table order. */
static void add_of_severity(struct report *r, enum severity severity)
{
	for (size_t t = 0; t < ARRAY_LEN(tables); t++)
		for (size_t i = 0; i < *tables[t].n; i++)
			if (tables[t].rows[i].severity == severity)
				apply(&tables[t].rows[i], r);
}

void findings_add(struct report *report)
{
	for (int s = SEVERITY_COUNT - 1; s >= 0; s--)
		add_of_severity(report, (enum severity)s);
}

bool finding_kind_at(size_t i, struct finding_kind *out)
{
	for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
		const struct judgement *j;

		if (i >= *tables[t].n) {
			i -= *tables[t].n;
			continue;
		}
		j = &tables[t].rows[i];
		*out = (struct finding_kind){ j->id, (int)j->severity, j->meaning, j->cause,
					      j->remedy };
		return true;
	}
	return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sas_config - the few options of a configuration file of SAS that say where I/O goes
 *
 * Private to the probe. Everything else in such a file, passwords among it, is passed over.
 */
#ifndef IOTEST_PROBE_SAS_CONFIG_H
#define IOTEST_PROBE_SAS_CONFIG_H

#include "iotest/sysroot.h"

enum sas_option { SAS_WORK, SAS_UTILLOC, SAS_MEMSIZE, SAS_BUFSIZE, SAS_OPTION_COUNT };

struct sas_config {
	char *values[SAS_OPTION_COUNT]; /* several are separated by blanks; NULL: not set */
	struct strlist includes;	/* of -CONFIG */
};
void sas_config_done(struct sas_config *config);

const char *sas_option_name(int option); /* "work" */

/* Adds what the text sets; the last one wins. */
void sas_config_parse(const char *text, struct sas_config *config);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_format - the names of the output formats
 */
#include "iotest/render.h"

const char *const format_choices[FORMAT_JSON + 2] = {
	[FORMAT_TEXT] = "text",
	[FORMAT_JSON] = "json",
	[FORMAT_JSON + 1] = NULL,
};

const char *const report_format_choices[FORMAT_COUNT + 1] = {
	[FORMAT_TEXT] = "text",	      [FORMAT_JSON] = "json", [FORMAT_HTML] = "html",
	[FORMAT_DETAILS] = "details", [FORMAT_COUNT] = NULL,
};

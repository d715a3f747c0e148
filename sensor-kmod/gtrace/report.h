/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _GTRACE_REPORT_H
#define _GTRACE_REPORT_H

#include <linux/types.h>

char *gtrace_report(size_t *size);

#endif /* _GTRACE_REPORT_H */

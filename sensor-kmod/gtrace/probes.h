/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _GTRACE_PROBES_H
#define _GTRACE_PROBES_H

int gtrace_probes_find(void);
int gtrace_probes_on(void);
void gtrace_probes_off_unless_needed(void);
void gtrace_probes_exit(void);

#endif /* _GTRACE_PROBES_H */

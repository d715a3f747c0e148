/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _GTRACE_HIERARCHY_H
#define _GTRACE_HIERARCHY_H

int gtrace_hierarchy_init(void);
void gtrace_hierarchy_exit(void);

#endif /* _GTRACE_HIERARCHY_H */

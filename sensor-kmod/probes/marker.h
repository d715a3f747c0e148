/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User markers: the files that programs write to.
 */
#ifndef _MAGNET_PROBES_MARKER_H
#define _MAGNET_PROBES_MARKER_H

#include <linux/fs.h>

extern const struct file_operations magnet_marker_fops;

#endif /* _MAGNET_PROBES_MARKER_H */

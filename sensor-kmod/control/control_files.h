/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the module is and does, to be read.
 */
#ifndef _MAGNET_CONTROL_FILES_H
#define _MAGNET_CONTROL_FILES_H

struct dentry;

void magnet_control_files_init(struct dentry *root);

#endif /* _MAGNET_CONTROL_FILES_H */

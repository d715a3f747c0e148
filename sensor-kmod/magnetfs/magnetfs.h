/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * magnetfs: buffers as files.
 */
#ifndef _MAGNET_MAGNETFS_H
#define _MAGNET_MAGNETFS_H

struct dentry;
struct file;
struct magnet_data_file;

extern struct dentry *magnet_debugfs_root;

int magnet_data_open(struct file *file, struct magnet_data_file *data);
void magnet_magnetfs_init(void);
void magnet_magnetfs_exit(void);

#endif /* _MAGNET_MAGNETFS_H */

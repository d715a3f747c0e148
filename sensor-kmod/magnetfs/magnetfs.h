/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * magnetfs: buffers as files.
 */
#ifndef _MAGNET_MAGNETFS_H
#define _MAGNET_MAGNETFS_H

struct dentry;
struct file;
struct magnet_buffer;
struct magnet_cpu_buffer;
struct magnet_data_file;

extern struct dentry *magnet_debugfs_root;

int magnet_data_open(struct file *file, struct magnet_data_file *data);
void magnet_magnetfs_init(void);
void magnet_magnetfs_exit(void);
void magnet_magnetfs_add_buffer(struct magnet_buffer *buffer);
void magnet_magnetfs_add_ring(struct magnet_cpu_buffer *cb);
void magnet_magnetfs_remove_buffer(struct magnet_buffer *buffer);

#endif /* _MAGNET_MAGNETFS_H */

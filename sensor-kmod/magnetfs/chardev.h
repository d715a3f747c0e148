/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data files as character nodes below /dev/magnet.
 */
#ifndef _MAGNET_CHARDEV_H
#define _MAGNET_CHARDEV_H

#include <linux/fs.h>

struct file;
struct inode;
struct magnet_data_file;

extern const struct file_operations magnet_chardev_fops;

int magnet_chardev_open(struct inode *inode, struct file *file);
int magnet_chardev_init(void);
void magnet_chardev_exit(void);
void magnet_chardev_add(struct magnet_data_file *data, const char *name);
void magnet_chardev_remove(struct magnet_data_file *data);

#endif /* _MAGNET_CHARDEV_H */

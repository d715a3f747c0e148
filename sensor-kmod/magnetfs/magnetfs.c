// SPDX-License-Identifier: GPL-2.0-only
/*
 * magnetfs: buffers as files. /sys/kernel/debug/magnet/data/<buffer>/cpuN,
 * and the file operations that the nodes below /dev/magnet share.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/uio.h>

#include "chardev.h"
#include "compat.h"
#include "magnetfs.h"
#include "probes/marker.h"
#include "reader.h"
#include "ring/buffer.h"

struct dentry *magnet_debugfs_root;
static struct dentry *data_dir;

/**
 * magnet_data_open() - make a file the reader of a ring, or of all
 * @file: being opened
 * @data: which; the caller holds a reference to its buffer, which is the
 *	file's on success
 *
 * Context: may sleep.
 * Return: 0, -EBUSY when there is a reader, -ENOMEM.
 */
int magnet_data_open(struct file *file, struct magnet_data_file *data)
{
	struct magnet_reader *rd = magnet_reader_open(data);

	if (IS_ERR(rd))
		return PTR_ERR(rd);
	file->private_data = rd;
	/*
	 * A stream without a position: reads must not hold the position's
	 * lock, or lseek() hangs behind a sleeping read(). lseek itself stays,
	 * it sets attributes.
	 */
	file->f_mode &= ~(FMODE_ATOMIC_POS | FMODE_PREAD | FMODE_PWRITE);
	file->f_mode |= FMODE_STREAM | FMODE_NOWAIT;
	return 0;
}

/* debugfs keeps @inode's buffer alive until this returns. */
static int debugfs_data_open(struct inode *inode, struct file *file)
{
	struct magnet_data_file *data = inode->i_private;
	int err;

	kref_get(&data->buffer->ref);
	err = magnet_data_open(file, data);
	if (err)
		magnet_buffer_put(data->buffer);
	return err;
}

static int data_release(struct inode *inode, struct file *file)
{
	struct magnet_buffer *buffer = magnet_reader_buffer(file->private_data);

	magnet_reader_close(file->private_data);
	magnet_buffer_put(buffer);
	return 0;
}

static ssize_t data_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	const bool nonblock = iocb->ki_filp->f_flags & O_NONBLOCK ||
			      iocb->ki_flags & IOCB_NOWAIT;

	if (!nonblock && magnet_is_aio(iocb))
		return magnet_reader_read_later(iocb->ki_filp->private_data, iocb, to);
	return magnet_reader_read(iocb->ki_filp->private_data, to, nonblock);
}

static int data_fasync(int fd, struct file *file, int on)
{
	return magnet_reader_fasync(file->private_data, fd, file, on);
}

static __poll_t data_poll(struct file *file, struct poll_table_struct *wait)
{
	return magnet_reader_poll(file->private_data, file, wait);
}

/* lseek sets attributes; anything else is told that this is a pipe. */
static loff_t data_llseek(struct file *file, loff_t offset, int whence)
{
	const unsigned int option = offset >> MAGNET_ATTR_VALUE_BITS & 0xff;
	const u64 value = offset & MAGNET_ATTR_VALUE_MASK;

	if ((u64)offset >> 56 != MAGNET_ATTR_MAGIC)
		return -ESPIPE;
	if (whence == SEEK_SET)
		return magnet_reader_set(file->private_data, option, value);
	if (whence == SEEK_CUR && !value)
		return magnet_reader_get(file->private_data, option);
	return -EINVAL;
}

static const struct file_operations debugfs_data_fops = {
	.owner = THIS_MODULE,
	.open = debugfs_data_open,
	.release = data_release,
	.read_iter = data_read_iter,
	.splice_read = magnet_splice_read,
	.poll = data_poll,
	.fasync = data_fasync,
	.llseek = data_llseek,
};

const struct file_operations magnet_chardev_fops = {
	.owner = THIS_MODULE,
	.open = magnet_chardev_open,
	.release = data_release,
	.read_iter = data_read_iter,
	.splice_read = magnet_splice_read,
	.poll = data_poll,
	.fasync = data_fasync,
	.llseek = data_llseek,
};

/*
 * The ordinary debugfs_create_file() would hide read_iter and FMODE_NOWAIT
 * behind its proxy; the reference count is our own.
 */
static void add_file(struct magnet_data_file *data, const char *name)
{
	debugfs_create_file_unsafe(name, 0400, data->buffer->dir, data,
				   &debugfs_data_fops);
	magnet_chardev_add(data, name);
}

static void add_ring(struct magnet_cpu_buffer *cb)
{
	char name[16];

	snprintf(name, sizeof(name), "cpu%u", cb->ring.cpu);
	add_file(&cb->file, name);
}

static void add_buffer(struct magnet_buffer *buffer)
{
	unsigned int cpu;

	buffer->dir = debugfs_create_dir(buffer->name, data_dir);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (buffer->cpu[cpu])
			add_ring(buffer->cpu[cpu]);
	add_file(&buffer->merged, "merged");
}

static void remove_buffer(struct magnet_buffer *buffer)
{
	unsigned int cpu;

	debugfs_remove_recursive(buffer->dir);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (buffer->cpu[cpu])
			magnet_chardev_remove(&buffer->cpu[cpu]->file);
	magnet_chardev_remove(&buffer->merged);
}

static struct magnet_buffer_watcher buffers = {
	.added = add_buffer,
	.ring_added = add_ring,
	.removed = remove_buffer,
};

/*
 * With debugfs=off every call fails and nothing is there: the nodes below
 * /dev/magnet do without.
 */
void magnet_magnetfs_init(void)
{
	magnet_debugfs_root = debugfs_create_dir("magnet", NULL);
	data_dir = debugfs_create_dir("data", magnet_debugfs_root);
	debugfs_create_file(MAGNET_MARKER_NODE, 0200, magnet_debugfs_root, NULL,
			    &magnet_marker_fops);
	magnet_buffers_watch(&buffers);
}

void magnet_magnetfs_exit(void)
{
	magnet_buffers_unwatch(&buffers);
	debugfs_remove_recursive(magnet_debugfs_root);
}

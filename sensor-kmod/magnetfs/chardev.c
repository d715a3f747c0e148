// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/magnet/<buffer>/{cpuN,merged}: the data files as character nodes, for services
 * without privileges and for machines without debugfs.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include "chardev.h"
#include "compat.h"
#include "magnetfs.h"
#include "probes/marker.h"
#include "ring/buffer.h"

#define MAGNET_MINORS	BIT(16)

static unsigned int gid;
module_param(gid, uint, 0444);
MODULE_PARM_DESC(gid, "group of the nodes below /dev/magnet (default 0)");

static dev_t first;
static struct cdev cdev;
/* Minor -> data file. The lock makes look-up and reference one step. */
static DEFINE_IDR(minors);
static DEFINE_MUTEX(minors_lock);

static struct class magnet_class = {
	.name = "magnet",
};

/* The first minor is the marker's; the others are read. */
#define MARKER_MINOR	0

static struct device *marker;

static char *node_name(const struct device *dev, umode_t *mode, kgid_t *group)
{
	const kgid_t wanted = make_kgid(&init_user_ns, gid);

	/* On removal only the name is asked for. */
	if (mode)
		*mode = MINOR(dev->devt) == MARKER_MINOR ? 0220 : 0440;
	if (group)
		*group = gid_valid(wanted) ? wanted : GLOBAL_ROOT_GID;
	return NULL;
}

static char *__maybe_unused devnode(struct device *dev, umode_t *mode, kuid_t *uid,
				    kgid_t *group)
{
	return node_name(dev, mode, group);
}

static char *__maybe_unused devnode_const(const struct device *dev, umode_t *mode,
					  kuid_t *uid, kgid_t *group)
{
	return node_name(dev, mode, group);
}

static const struct device_type node_type = {
	.name = "magnet",
	.devnode = magnet_devnode(devnode, devnode_const),
};

static int open_marker(struct file *file)
{
	const struct file_operations *fops = &magnet_marker_fops;

	/* The module is there while the node is being opened. */
	__module_get(fops->owner);
	replace_fops(file, fops);
	return 0;
}

int magnet_chardev_open(struct inode *inode, struct file *file)
{
	struct magnet_data_file *data;
	int err;

	if (iminor(inode) == MARKER_MINOR)
		return open_marker(file);
	mutex_lock(&minors_lock);
	data = idr_find(&minors, iminor(inode));
	if (data)
		kref_get(&data->buffer->ref);
	mutex_unlock(&minors_lock);
	if (!data)
		return -ENXIO;
	err = magnet_data_open(file, data);
	if (err)
		magnet_buffer_put(data->buffer);
	return err;
}

static void free_node(struct device *dev)
{
	kfree(dev);
}

/* '!' in a device's name becomes '/' below /dev. */
static struct device *new_node(const char *name, int minor)
{
	struct device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int err;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	device_initialize(dev);
	dev->class = &magnet_class;
	dev->type = &node_type;
	dev->devt = MKDEV(MAJOR(first), minor);
	dev->release = free_node;
	err = dev_set_name(dev, "magnet!%s", name);
	if (!err)
		err = device_add(dev);
	if (err) {
		put_device(dev);
		return ERR_PTR(err);
	}
	return dev;
}

/**
 * magnet_chardev_add() - make the node of a data file
 * @data: the file
 * @name: its name
 *
 * Without the node the file can still be read through debugfs, so failure is
 * only told.
 *
 * Context: may sleep.
 */
void magnet_chardev_add(struct magnet_data_file *data, const char *name)
{
	char path[MAGNET_NAME_SIZE + 16];
	struct device *dev;
	int minor;

	mutex_lock(&minors_lock);
	minor = idr_alloc(&minors, data, MARKER_MINOR + 1, (int)MAGNET_MINORS, GFP_KERNEL);
	mutex_unlock(&minors_lock);
	if (minor < 0) {
		pr_warn("no node for %s of buffer %s: error %d\n", name, data->buffer->name,
			minor);
		return;
	}
	snprintf(path, sizeof(path), "%s!%s", data->buffer->name, name);
	dev = new_node(path, minor);
	if (!IS_ERR(dev)) {
		data->node = dev;
		return;
	}
	pr_warn("no node for %s of buffer %s: error %ld\n", name, data->buffer->name,
		PTR_ERR(dev));
	mutex_lock(&minors_lock);
	idr_remove(&minors, minor);
	mutex_unlock(&minors_lock);
}

/* The reverse; who has the node open keeps the buffer. */
void magnet_chardev_remove(struct magnet_data_file *data)
{
	struct device *dev = data->node;

	if (!dev)
		return;
	data->node = NULL;
	mutex_lock(&minors_lock);
	idr_remove(&minors, MINOR(dev->devt));
	mutex_unlock(&minors_lock);
	device_unregister(dev);
}

int magnet_chardev_init(void)
{
	int err;

	err = alloc_chrdev_region(&first, 0, MAGNET_MINORS, "magnet");
	if (err)
		return err;
	err = class_register(&magnet_class);
	if (err)
		goto region;
	cdev_init(&cdev, &magnet_chardev_fops);
	cdev.owner = THIS_MODULE;
	err = cdev_add(&cdev, first, MAGNET_MINORS);
	if (err)
		goto class;
	marker = new_node(MAGNET_MARKER_NODE, MARKER_MINOR);
	if (IS_ERR(marker)) {
		err = PTR_ERR(marker);
		goto cdev;
	}
	return 0;

cdev:
	cdev_del(&cdev);
class:
	class_unregister(&magnet_class);
region:
	unregister_chrdev_region(first, MAGNET_MINORS);
	return err;
}

void magnet_chardev_exit(void)
{
	device_unregister(marker);
	cdev_del(&cdev);
	class_unregister(&magnet_class);
	unregister_chrdev_region(first, MAGNET_MINORS);
	idr_destroy(&minors);
}

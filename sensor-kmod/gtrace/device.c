// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/gtrace: one opener at a time, the others wait in a queue.
 *
 * It is no misc device: those are opened under a lock that all of them share, so that whoever waits
 * here would hold up the others.
 */
#include <linux/cdev.h>
#include <linux/compat.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/semaphore.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "device.h"
#include "event_fifo.h"
#include "orders.h"
#include "report.h"

/* The longest order: a path, and what comes before it. */
#define ORDER_MAX	(PATH_MAX + 64)

static dev_t number;
static struct cdev cdev;
static struct class class = { .name = "gtrace" };

/* Who has the device open. */
static struct semaphore turn;

/* The hierarchy as of open. */
struct text {
	char	*text;
	size_t	size;
};

/* ---- one at a time ---- */

static int take_turn(const struct file *file)
{
	if (!down_trylock(&turn))
		return 0;
	if (file->f_flags & O_NONBLOCK)
		return -EBUSY;
	return down_interruptible(&turn) ? -ERESTARTSYS : 0;
}

static int read_hierarchy(struct file *file)
{
	struct text *text = kzalloc(sizeof(*text), GFP_KERNEL);

	if (!text)
		return -ENOMEM;
	if (file->f_mode & FMODE_READ) {
		text->text = gtrace_report(&text->size);
		if (IS_ERR(text->text)) {
			int err = PTR_ERR(text->text);

			kfree(text);
			return err;
		}
	}
	file->private_data = text;
	return 0;
}

/*
 * A process of a task does not keep its scheduler from the device. Pids are those of the first
 * namespace, here and in the files.
 */
static int gtrace_open(struct inode *inode, struct file *file)
{
	int err;

	if (gtrace_current_is_traced() || task_active_pid_ns(current) != &init_pid_ns)
		return -EPERM;
	err = take_turn(file);
	if (err)
		return err;
	/* Somebody may have brought it into a task while it waited. */
	err = gtrace_current_is_traced() ? -EPERM : read_hierarchy(file);
	if (err)
		up(&turn);
	return err;
}

static int gtrace_release(struct inode *inode, struct file *file)
{
	struct text *text = file->private_data;

	kvfree(text->text);
	kfree(text);
	up(&turn);
	return 0;
}

/* ---- the hierarchy, orders ---- */

static ssize_t gtrace_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	const struct text *text = file->private_data;

	return simple_read_from_buffer(to, count, pos, text->text, text->size);
}

static loff_t gtrace_llseek(struct file *file, loff_t offset, int whence)
{
	const struct text *text = file->private_data;

	return fixed_size_llseek(file, offset, whence, text->size);
}

/* One line, with or without its end, and nothing behind a zero. */
static bool make_line(char *order, size_t size)
{
	char *end = memchr(order, '\n', size);

	if (end)
		*end = '\0';
	return strlen(order) + !!end == size;
}

static ssize_t gtrace_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	char *order;
	int err;

	if (count > ORDER_MAX)
		return -EINVAL;
	order = memdup_user_nul(from, count);
	if (IS_ERR(order))
		return PTR_ERR(order);
	err = make_line(order, count) ? gtrace_obey(file, order) : -EINVAL;
	kfree(order);
	return err ?: count;
}

/* ---- ioctl ---- */

static long act(const struct file *file, enum gtrace_state state,
		const struct gtrace_name __user *from)
{
	struct gtrace_name name;

	if (copy_from_user(&name, from, sizeof(name)))
		return -EFAULT;
	if (strnlen(name.name, sizeof(name.name)) == sizeof(name.name))
		return -ENAMETOOLONG;
	return gtrace_act(file, name.name, state);
}

static long next_event(struct gtrace_event __user *to)
{
	struct gtrace_event event;

	if (!access_ok(to, sizeof(*to)))
		return -EFAULT;
	if (!gtrace_fifo_take(&event))
		return -EAGAIN;
	return copy_to_user(to, &event, sizeof(event)) ? -EFAULT : 0;
}

static long gtrace_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case GTRACE_STOP:
		return act(file, GTRACE_STATE_STOP, (void __user *)arg);
	case GTRACE_CONT:
		return act(file, GTRACE_STATE_RUN, (void __user *)arg);
	case GTRACE_KILL:
		return act(file, GTRACE_STATE_KILL, (void __user *)arg);
	case GTRACE_NEXT_EVENT:
		return next_event((void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = gtrace_open,
	.release = gtrace_release,
	.read = gtrace_read,
	.llseek = gtrace_llseek,
	.write = gtrace_write,
	.unlocked_ioctl = gtrace_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = gtrace_fifo_poll,
	.fasync = gtrace_fifo_fasync,
};

/* ---- life ---- */

int gtrace_device_init(void)
{
	struct device *node;
	int err;

	sema_init(&turn, 1);
	err = alloc_chrdev_region(&number, 0, 1, "gtrace");
	if (err)
		return err;
	err = class_register(&class);
	if (err)
		goto region;
	cdev_init(&cdev, &fops);
	cdev.owner = THIS_MODULE;
	err = cdev_add(&cdev, number, 1);
	if (err)
		goto class;
	node = device_create(&class, NULL, number, NULL, "gtrace");
	if (!IS_ERR(node))
		return 0;
	err = PTR_ERR(node);
	cdev_del(&cdev);
class:
	class_unregister(&class);
region:
	unregister_chrdev_region(number, 1);
	return err;
}

/* Whoever has it open keeps the module. */
void gtrace_device_exit(void)
{
	device_destroy(&class, number);
	cdev_del(&cdev);
	class_unregister(&class);
	unregister_chrdev_region(number, 1);
}

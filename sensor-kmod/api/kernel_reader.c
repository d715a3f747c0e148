// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers read inside the kernel: include/magnet.h. The same reader as behind
 * a data file, so it excludes those and they exclude it.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include <magnet.h>

#include "magnetfs/reader.h"
#include "ring/buffer.h"
#include "ring/record.h"
#include "turn.h"

/**
 * struct magnet_file - a buffer, or one ring of it, that is open in the kernel
 * @rd: its reader
 * @owner: whose it is
 */
struct magnet_file {
	struct magnet_reader	*rd;
	struct module		*owner;
};

static struct magnet_data_file *data_of(struct magnet_buffer *buffer, int cpu)
{
	struct magnet_cpu_buffer *cb;

	if (cpu == MAGNET_ALL_CPUS)
		return &buffer->merged;
	if (cpu < 0 || cpu >= nr_cpu_ids)
		return NULL;
	/* Pairs with the release in magnet_buffer_add_ring(): the CPU may just come up. */
	cb = smp_load_acquire(&buffer->cpu[cpu]);
	return cb ? &cb->file : NULL;
}

/* The reader has a reference to the buffer. */
static struct magnet_reader *open_reader(const char *name, int cpu)
{
	struct magnet_buffer *buffer = magnet_buffer_find(name);
	struct magnet_data_file *data = buffer ? data_of(buffer, cpu) : NULL;
	struct magnet_reader *rd;

	if (!data)
		return ERR_PTR(-ENOENT);
	rd = magnet_reader_open(data);
	if (!IS_ERR(rd))
		kref_get(&buffer->ref);
	return rd;
}

/**
 * magnet_open_as() - see magnet_open()
 * @buffer: its name
 * @cpu: CPU, or MAGNET_ALL_CPUS
 * @owner: who reads; held while the file is open
 */
struct magnet_file *magnet_open_as(const char *buffer, int cpu, struct module *owner)
{
	struct magnet_file *file = kzalloc(sizeof(*file), GFP_KERNEL);
	int err = -ENODEV;

	if (!file)
		return ERR_PTR(-ENOMEM);
	file->owner = owner;
	if (!try_module_get(owner))
		goto free;
	mutex_lock(&magnet_mutex);
	file->rd = open_reader(buffer, cpu);
	mutex_unlock(&magnet_mutex);
	if (!IS_ERR(file->rd))
		return file;
	err = PTR_ERR(file->rd);
	module_put(owner);
free:
	kfree(file);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(magnet_open_as);

/**
 * magnet_read() - read what is there
 * @file: the file
 * @to: where to; whole records only
 * @size: bytes there
 *
 * Context: may sleep, but not for events.
 * Return: bytes; 0 when the buffer was removed and read to its end; -EAGAIN
 * when nothing is readable yet, or another thread is reading; -EMSGSIZE when the
 * next record does not fit, nothing is consumed then; -ERESTARTSYS after a signal
 * while another thread was reading the rest of a buffer that was removed.
 */
ssize_t magnet_read(struct magnet_file *file, void *to, size_t size)
{
	struct kvec vec = { .iov_base = to, .iov_len = size };
	struct iov_iter iter;

	iov_iter_kvec(&iter, READ, &vec, 1, size);
	return magnet_reader_read(file->rd, &iter, true);
}
EXPORT_SYMBOL_GPL(magnet_read);

/**
 * magnet_wait() - sleep until something is readable
 * @file: the file
 * @timeout_us: microseconds, at most; U64_MAX: without end
 *
 * Context: may sleep.
 * Return: 0 when magnet_read() has something to say; -ETIME; -EAGAIN when
 * MAX_READ_TIMEOUT passed with nothing there; -ERESTARTSYS after a signal;
 * -EINTR when the thread is a kernel thread that is to stop.
 */
int magnet_wait(struct magnet_file *file, u64 timeout_us)
{
	const ktime_t now = ktime_get();

	if (timeout_us > KTIME_MAX / NSEC_PER_USEC - ktime_to_us(now) - 1)
		return magnet_reader_wait(file->rd, KTIME_MAX);
	return magnet_reader_wait(file->rd, ktime_add_us(now, timeout_us));
}
EXPORT_SYMBOL_GPL(magnet_wait);

/**
 * magnet_set() - set an attribute, as lseek does
 * @file: the file
 * @option: enum magnet_attr
 * @value: its value
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL.
 */
long long magnet_set(struct magnet_file *file, unsigned int option, u64 value)
{
	return magnet_reader_set(file->rd, option, value);
}
EXPORT_SYMBOL_GPL(magnet_set);

/**
 * magnet_decode() - the header of a record, whatever the layout in force
 * @record: the record, as it was read
 * @header: where its header goes, in layout wide; classic has no tid, it is 0
 *
 * Context: any.
 * Return: its payload; the next record is @header->size behind @record.
 */
const void *magnet_decode(const void *record, struct magnet_record *header)
{
	const struct magnet_record_classic *c = record;

	if (!magnet_classic) {
		*header = *(const struct magnet_record *)record;
		return record + sizeof(*header);
	}
	*header = (struct magnet_record){
		.size = c->header >> MAGNET_CLASSIC_SIZE_SHIFT,
		.cpu = c->header & (BIT(MAGNET_CLASSIC_CPU_BITS) - 1),
		.event = c->header >> MAGNET_CLASSIC_EVENT_SHIFT &
			 (BIT(MAGNET_CLASSIC_EVENT_BITS) - 1),
		.tgid = c->pid,
		.abstract_id = c->abstract_id,
		.timer = c->timer,
	};
	return c + 1;
}
EXPORT_SYMBOL_GPL(magnet_decode);

/**
 * magnet_close() - the end of magnet_open()
 * @file: the file
 *
 * Context: may sleep; in the module that opened it.
 */
void magnet_close(struct magnet_file *file)
{
	struct magnet_buffer *buffer = magnet_reader_buffer(file->rd);
	struct module *owner = file->owner;

	magnet_reader_close(file->rd);
	magnet_buffer_put(buffer);
	kfree(file);
	module_put(owner);
}
EXPORT_SYMBOL_GPL(magnet_close);

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A buffer with a subscription, one of its data files open, and events made to
 * order.
 */
#ifndef MAGNET_GUEST_SENSOR_H
#define MAGNET_GUEST_SENSOR_H

#include <pthread.h>

#include "magnet_ctl.h"
#include "records.h"

struct sensor {
	struct magnet_ctl	ctl;
	char			buffer[48];
	uint64_t		size;	/* bytes of a ring */
	uint32_t		sub;
	unsigned int		cpu;
	int			fd;
};

/*
 * Make a buffer of 64 KiB, subscribe inet_sendmsg, open CPU 0's file, put this
 * thread on CPU 0 and read away what the file begins with.
 */
void sensor_start(struct sensor *s);
/* The same in steps. */
void sensor_make(struct sensor *s, uint64_t size);
void sensor_subscribe(struct sensor *s, const char *point, uint32_t flags);
void sensor_open(struct sensor *s, unsigned int cpu);

/* Close the control socket: buffer and subscription end; wait for that. */
void sensor_end(struct sensor *s);

/* Log events on the CPU that the thread runs on; each asks to send @len bytes. */
void sensor_emit_len(size_t len);
void sensor_emit(unsigned int n);

/* ---- the data file ---- */

/* Set or read an attribute: the value or 0, or -errno. */
long long attr_set(int fd, unsigned int option, uint64_t value);
long long attr_get(int fd, unsigned int option);
void attr_need(int fd, unsigned int option, uint64_t value);

/* One read: its return value or -errno, and what it got. */
ssize_t data_read(int fd, struct batch *b, size_t room);
/* The same without sleeping. */
ssize_t data_read_now(int fd, struct batch *b, size_t room);
/* Read away all that is there whatever the attributes. */
struct batch data_drain(int fd);
#define DATA_ROOM	(1 << 20)

/* What read and poll say has to be the same. */
bool data_is_readable(int fd);
#define EXPECT_READABLE(fd)	EXPECT(data_is_readable(fd), "it is not readable")
#define EXPECT_NOT_READABLE(fd)	EXPECT(!data_is_readable(fd), "it is readable")

/* ---- a thread that sleeps in read or poll ---- */

struct sleeper {
	pthread_t	thread;
	int		fd;
	size_t		room;
	pid_t		tid;
	uint64_t	called;		/* guest_now_us() before the call */
	uint64_t	returned;	/* and after it */
	long		result;		/* of the call, or -errno */
	short		revents;
	struct batch	batch;
	bool		done;
};

/* Returns when the thread sleeps. */
void sleeper_read(struct sleeper *s, int fd);
void sleeper_poll(struct sleeper *s, int fd);
/* Has its call not returned? */
bool sleeper_sleeps(const struct sleeper *s, long syscall_nr);
/* Waits for its return; gives the result. */
long sleeper_join(struct sleeper *s);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the test programs for a running module share: a process for each test,
 * with a limit; CPUs; waiting for what happens elsewhere.
 *
 * No test decides by time. What has to happen is waited for until a limit that
 * only a hang reaches.
 */
#ifndef MAGNET_GUEST_H
#define MAGNET_GUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "../ktap.h"

#define US_PER_S	1000000ULL

#define MAGNET_DEBUGFS	"/sys/kernel/debug/magnet"
#define MAGNET_CONTROL	MAGNET_DEBUGFS "/control"

/* main() of a test program. */
int guest_main(const struct ktap_test *tests, int n, int argc, char **argv);

/* The set-up itself went wrong: the test ends here. */
void guest_abort(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));
#define ABORT(...)	guest_abort(__FILE__, __LINE__, __VA_ARGS__)
#define NEED(cond, ...)	do { if (!(cond)) ABORT(__VA_ARGS__); } while (0)

/* This kernel lacks what the test is about: it ends here, and the result says why. */
void guest_skip(const char *why) __attribute__((noreturn));

/*
 * Something came in between that no test can prevent, such as a CLOCK record:
 * if this test fails it is run again.
 */
void guest_disturbed(void);

/* From here on the calling thread runs on this CPU. */
void guest_on_cpu(unsigned int cpu);

/* Until the condition holds; the limit of the test ends this if it never does. */
#define UNTIL(cond)	do { while (!(cond)) guest_nap(); } while (0)
void guest_nap(void);

/* CLOCK_MONOTONIC in microseconds. */
uint64_t guest_now_us(void);

/* Since this test began. */
uint64_t guest_elapsed_us(void);

/* Does the thread, of this process or a child, sleep in this system call? */
bool guest_sleeps_in(pid_t tid, long syscall_nr);

pid_t guest_tid(void);

/* Does a line of the file contain the text? */
bool guest_file_has(const char *path, const char *text);
/* The number after the word, or -1. */
long long guest_file_number(const char *path, const char *word);
bool guest_write_file(const char *path, const char *text);

/* The address of a symbol, as root sees it; 0: the kernel does not say. */
unsigned long long guest_symbol(const char *symbol);

#endif

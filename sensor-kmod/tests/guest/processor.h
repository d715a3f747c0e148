/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tests name in definitions of points, and what differs from one kind of
 * processor to the next.
 */
#ifndef MAGNET_PROCESSOR_H
#define MAGNET_PROCESSOR_H

#include <sys/syscall.h>

/*
 * The kernel's function of a system call: SYS_FUNCTION "dup". Its only argument
 * points to the caller's registers. USER_ARG1 and USER_ARG2 are where in these
 * the call's first and second argument are, USER_ARG1_4 and USER_ARG1_7 that
 * many bytes further on.
 *
 * REGISTER_n is a function's n-th argument at its entry, REGISTER_IP where it is.
 *
 * ENTRY_HOOK is how a kprobe at a function's entry gets there.
 *
 * FAULT_HANDLERS is how the names of functions begin that the processor calls,
 * and that the kernel does not let probe.
 */
#if defined(__x86_64__)
#define SYS_FUNCTION	"__x64_sys_"
#define USER_ARG1	"+112"
#define USER_ARG1_4	"+116"
#define USER_ARG1_7	"+119"
#define USER_ARG2	"+104"
#define REGISTER_1	"%di"
#define REGISTER_2	"%si"
#define REGISTER_3	"%dx"
#define REGISTER_6	"%r9"
#define REGISTER_IP	"%ip"
#define ENTRY_HOOK	MAGNET_HOOK_FTRACE
#define PROBES_BECOME_JUMPS	true
#define FAULT_HANDLERS	"exc_"
#elif defined(__aarch64__)
#define SYS_FUNCTION	"__arm64_sys_"
#define USER_ARG1	"+0"
#define USER_ARG1_4	"+4"
#define USER_ARG1_7	"+7"
#define USER_ARG2	"+8"
#define REGISTER_1	"%x0"
#define REGISTER_2	"%x1"
#define REGISTER_3	"%x2"
#define REGISTER_6	"%x5"
#define REGISTER_IP	"%pc"
#define ENTRY_HOOK	MAGNET_HOOK_BREAKPOINT
#define PROBES_BECOME_JUMPS	false
#define FAULT_HANDLERS	"el1h_64_"
#else
#error "magnet runs on x86-64 and arm64"
#endif

/* What poll(3) calls. */
#ifdef SYS_poll
#define SYS_OF_POLL	SYS_poll
#else
#define SYS_OF_POLL	SYS_ppoll
#endif

#endif /* MAGNET_PROCESSOR_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that a handler hardly ever makes.
 *
 * To the compiler a call destroys nine registers. For the sake of calls to
 * its slow paths every handler would keep what it needs in the other six, and
 * save and restore those at each event: 13 instructions of 123. So a
 * function that is MAGNET_RARE saves all that it uses, and is called by an asm
 * that destroys nothing but the two registers of its result (the kernel does
 * so with stackleak_track_stack()). The arguments go in by the same two: their
 * usual registers are in use across the call.
 *
 * It is notrace as well: the hook in front of a traced function is not as
 * careful. In user space, and where the compiler can't, it is a function like
 * any other.
 */
#ifndef _MAGNET_RARE_H
#define _MAGNET_RARE_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#endif

#if defined(CONFIG_X86_64) && defined(CONFIG_CC_IS_GCC) && !defined(CONFIG_ZERO_CALL_USED_REGS)
#include <asm/asm.h>

#define MAGNET_RARE	__no_caller_saved_registers

#define MAGNET_RARE_CALL(fn, ptr, num, first, second)			\
do {									\
	const unsigned long num_ = (num);				\
									\
	asm volatile("push %%rdi\n\t"					\
		     "push %%rsi\n\t"					\
		     "mov %%rax, %%rdi\n\t"				\
		     "mov %%rdx, %%rsi\n\t"				\
		     "call %P[to]\n\t"					\
		     "pop %%rsi\n\t"					\
		     "pop %%rdi"					\
		     : "=a" (first), "=d" (second), ASM_CALL_CONSTRAINT	\
		     : [to] "i" (fn), "a" (ptr), "d" (num_)	\
		     : "memory", "cc");					\
} while (0)

/* void fn(ptr) */
#define magnet_rare_do(fn, ptr)						\
do {									\
	unsigned long first_, second_;					\
									\
	MAGNET_RARE_CALL(fn, ptr, 0, first_, second_);			\
} while (0)

/* u64 fn(ptr) */
#define magnet_rare_u64(fn, ptr)					\
({									\
	unsigned long first_, second_;					\
									\
	MAGNET_RARE_CALL(fn, ptr, 0, first_, second_);			\
	first_;								\
})

/* u64 fn(ptr, num) */
#define magnet_rare_u64_of(fn, ptr, num)				\
({									\
	unsigned long first_, second_;					\
									\
	MAGNET_RARE_CALL(fn, ptr, num, first_, second_);		\
	first_;								\
})

/* struct magnet_slot fn(ptr, num), by its members: as a whole it would go by memory */
#define magnet_rare_slot(fn, ptr, num, rec_, timer_)			\
	MAGNET_RARE_CALL(fn, ptr, num, rec_, timer_)
#else
#define MAGNET_RARE
#define magnet_rare_do(fn, ptr)		fn(ptr)
#define magnet_rare_u64(fn, ptr)	fn(ptr)
#define magnet_rare_u64_of(fn, ptr, num) fn(ptr, num)
#define magnet_rare_slot(fn, ptr, num, rec_, timer_)			\
do {									\
	const struct magnet_slot slot_ = fn(ptr, num);			\
									\
	(rec_) = slot_.rec;						\
	(timer_) = slot_.timer;						\
} while (0)
#endif

#endif /* _MAGNET_RARE_H */

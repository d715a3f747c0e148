/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ring.h, ring.c, mark.h, jump.h, record.h and pace.h take from the kernel,
 * for user space. One thread is a CPU; what interrupts it there is a signal
 * here, or a function that is called between two steps.
 */
#ifndef MAGNET_RING_SHIM_H
#define MAGNET_RING_SHIM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define notrace
#define __cold			__attribute__((cold))
#define ____cacheline_aligned	__attribute__((aligned(64)))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min3(a, b, c)		min(min(a, b), c)

#define NSEC_PER_MSEC		1000000L
#define NSEC_PER_SEC		1000000000L

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

/* With RING_STEPS an interrupt, or the other CPU, may come before every access. */
#ifdef RING_STEPS
void ring_step(void);
#else
static inline void ring_step(void)
{
}
#endif

#define barrier()	do { ring_step(); __asm__ __volatile__("" ::: "memory"); } while (0)
/*
 * To the thread sanitizer a marked access is an atomic one that orders nothing,
 * as the kernel's memory model has it; and it does not see into asm. Fences are
 * nothing to it: plain data has to be handed over by acquire and release.
 */
#ifdef RING_TSAN
#define ring_shim_load(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define ring_shim_store(x, value)	__atomic_store_n(&(x), value, __ATOMIC_RELAXED)
#else
#define ring_shim_load(x)		(*(const volatile typeof(x) *)&(x))
#define ring_shim_store(x, value)	(*(volatile typeof(x) *)&(x) = (value))
#endif

#define smp_rmb()	do { ring_step(); __atomic_thread_fence(__ATOMIC_ACQUIRE); } while (0)
#define smp_wmb()	do { ring_step(); __atomic_thread_fence(__ATOMIC_RELEASE); } while (0)
#define smp_mb()	do { ring_step(); __atomic_thread_fence(__ATOMIC_SEQ_CST); } while (0)

#define READ_ONCE(x)	({ ring_step(); ring_shim_load(x); })
/* The value is made first: what comes between that and the store counts. */
#define WRITE_ONCE(x, value)				\
	do {						\
		typeof(x) value_ = (value);		\
							\
		ring_step();				\
		ring_shim_store(x, value_);		\
	} while (0)
/* A plain load may be interrupted before it as well. */
#define data_race(x)		READ_ONCE(x)
#define smp_load_acquire(p)	({ ring_step(); __atomic_load_n(p, __ATOMIC_ACQUIRE); })
#define smp_store_release(p, value)			\
	do {						\
		typeof(*(p)) value_ = (value);		\
							\
		ring_step();				\
		__atomic_store_n(p, value_, __ATOMIC_RELEASE);	\
	} while (0)

/* Safe against interrupts of the same CPU, and no more: no LOCK prefix. */
typedef struct {
	long v;
} local_t;

#if defined(__x86_64__) && !defined(RING_TSAN)
static __always_inline long ring_shim_cmpxchg(long *v, long old, long new)
{
	long seen;

	__asm__ __volatile__("cmpxchgq %2, %1"
			     : "=a" (seen), "+m" (*v)
			     : "r" (new), "0" (old)
			     : "memory");
	return seen;
}

static __always_inline void ring_shim_add(long *v, long i)
{
	__asm__ __volatile__("addq %1, %0" : "+m" (*v) : "r" (i) : "memory");
}

static __always_inline u64 ring_shim_next(u64 *v)
{
	u64 one = 1;

	__asm__ __volatile__("xaddq %0, %1" : "+r" (one), "+m" (*v) :: "memory");
	return one + 1;
}
#else
static __always_inline long ring_shim_cmpxchg(long *v, long old, long new)
{
	__atomic_compare_exchange_n(v, &old, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return old;
}

static __always_inline void ring_shim_add(long *v, long i)
{
	__atomic_fetch_add(v, i, __ATOMIC_RELAXED);
}

static __always_inline u64 ring_shim_next(u64 *v)
{
	return __atomic_add_fetch(v, 1, __ATOMIC_RELAXED);
}
#endif

#define local_read(l)			READ_ONCE((l)->v)
#define magnet_local_plain(l)		local_read(l)
#define local_cmpxchg(l, old, new)	({ ring_step(); ring_shim_cmpxchg(&(l)->v, old, new); })
#define local_set(l, i)			WRITE_ONCE((l)->v, i)
#define local_inc(l)			\
	do { ring_step(); ring_shim_next((u64 *)&(l)->v); } while (0)
/* Who interrupts it restores what it found. */
#define local_dec(l)			local_set(l, local_read(l) - 1)

typedef struct {
	long counter;
} atomic_long_t;

#define local_add(i, l)			\
	do { const long i_ = (i); ring_step(); ring_shim_add(&(l)->v, i_); } while (0)
static __always_inline unsigned int ring_shim_cmpxchg32(unsigned int *v, unsigned int old,
							unsigned int new)
{
	__atomic_compare_exchange_n(v, &old, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return old;
}

#define cmpxchg_local(p, old, new)						\
	({									\
		ring_step();							\
		(typeof(*(p)))(sizeof(*(p)) == sizeof(u32) ?			\
			       ring_shim_cmpxchg32((void *)(p), old, new) :	\
			       ring_shim_cmpxchg((void *)(p), old, new));	\
	})

#define atomic_long_read(a)	READ_ONCE((a)->counter)
#define atomic_long_op(op, a, i)	\
	({ ring_step(); __atomic_##op(&(a)->counter, i, __ATOMIC_SEQ_CST); })
#define atomic_long_inc(a)	((void)atomic_long_op(fetch_add, a, 1))
#define atomic_long_add(i, a)	((void)atomic_long_op(fetch_add, a, i))
#define atomic_long_sub(i, a)	((void)atomic_long_op(fetch_sub, a, i))
#define atomic_long_xchg(a, i)	atomic_long_op(exchange_n, a, i)

static __always_inline long atomic_long_cmpxchg(atomic_long_t *a, long old, long new)
{
	ring_step();
	__atomic_compare_exchange_n(&a->counter, &old, new, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	return old;
}

/* A clock that never gives the same time twice shows every inversion; unless it stands. */
extern u64 ring_shim_time;
extern bool ring_shim_stands;

static __always_inline u64 magnet_clock(u64 *last)
{
	(void)last;
	ring_step();
	return ring_shim_stands ? ring_shim_time : ring_shim_next(&ring_shim_time);
}

#endif

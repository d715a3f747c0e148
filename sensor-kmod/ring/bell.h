/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bells: what happens in any context, and is looked after by somebody who may
 * sleep. Whoever rings does not know who answers.
 */
#ifndef _MAGNET_BELL_H
#define _MAGNET_BELL_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/irq_work.h>

/**
 * struct magnet_bell - a bell
 * @work: calls @answer in an interrupt, outside of the probe
 * @rung: it was rung and not yet heard
 * @answer: called when it rings; NULL: nobody answers
 */
struct magnet_bell {
	struct irq_work	work;
	int		rung;
	void		(*answer)(void);
};

void magnet_bell_rings(struct irq_work *work);

#define MAGNET_BELL_INIT { .work = IRQ_WORK_INIT(magnet_bell_rings) }

/* It was rung, and not yet heard: another time would say nothing. */
static __always_inline bool magnet_bell_rung(const struct magnet_bell *bell)
{
	return READ_ONCE(bell->rung);
}

/**
 * magnet_bell_ring() - something happened
 * @bell: the bell; whoever rings often looks at magnet_bell_rung() first
 *
 * Context: any, NMI included.
 */
static __always_inline void magnet_bell_ring(struct magnet_bell *bell)
{
	if (!xchg(&bell->rung, 1))
		irq_work_queue(&bell->work);
}

/**
 * magnet_bell_heard() - what happens from here on is rung again
 * @bell: the bell
 *
 * A full barrier: what was rung for is seen by who looks after this.
 *
 * Context: any.
 */
static inline void magnet_bell_heard(struct magnet_bell *bell)
{
	xchg(&bell->rung, 0);
}

void magnet_bell_answer(struct magnet_bell *bell, void (*answer)(void));

#endif /* _MAGNET_BELL_H */

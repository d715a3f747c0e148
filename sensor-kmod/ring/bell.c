// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bells, and who answers them.
 */
#include "bell.h"

void magnet_bell_rings(struct irq_work *work)
{
	const struct magnet_bell *bell = container_of(work, struct magnet_bell, work);
	const typeof(bell->answer) answer = READ_ONCE(bell->answer);

	if (answer)
		answer();
}

/**
 * magnet_bell_answer() - who answers a bell from now on
 * @bell: the bell
 * @answer: called in an interrupt when it rings, and then not again before
 *	magnet_bell_heard(); NULL: nobody answers, and who did so is done
 *
 * Context: may sleep.
 */
void magnet_bell_answer(struct magnet_bell *bell, void (*answer)(void))
{
	WRITE_ONCE(bell->answer, answer);
	irq_work_sync(&bell->work);
	/* What nobody heard does not keep it from being rung again. */
	magnet_bell_heard(bell);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where struct pt_regs keeps what a definition can name, as indices of words:
 * registers, the arguments of a function at its entry, and its return value.
 */
#ifndef _MAGNET_REGISTERS_H
#define _MAGNET_REGISTERS_H

#include <linux/ptrace.h>
#include <linux/stddef.h>
#include <linux/types.h>

struct magnet_register {
	const char	*name;
	u8		word;
};

#define MAGNET_WORD(member)	(offsetof(struct pt_regs, member) / sizeof(long))

#ifdef CONFIG_X86_64
static const struct magnet_register magnet_registers[] = {
	{ "ax", MAGNET_WORD(ax) }, { "bx", MAGNET_WORD(bx) },
	{ "cx", MAGNET_WORD(cx) }, { "dx", MAGNET_WORD(dx) },
	{ "si", MAGNET_WORD(si) }, { "di", MAGNET_WORD(di) },
	{ "bp", MAGNET_WORD(bp) }, { "sp", MAGNET_WORD(sp) },
	{ "r8", MAGNET_WORD(r8) }, { "r9", MAGNET_WORD(r9) },
	{ "r10", MAGNET_WORD(r10) }, { "r11", MAGNET_WORD(r11) },
	{ "r12", MAGNET_WORD(r12) }, { "r13", MAGNET_WORD(r13) },
	{ "r14", MAGNET_WORD(r14) }, { "r15", MAGNET_WORD(r15) },
	{ "ip", MAGNET_WORD(ip) }, { "flags", MAGNET_WORD(flags) },
};

static const u8 magnet_argument_words[] = {
	MAGNET_WORD(di), MAGNET_WORD(si), MAGNET_WORD(dx),
	MAGNET_WORD(cx), MAGNET_WORD(r8), MAGNET_WORD(r9),
};

#define MAGNET_RETVAL_WORD	MAGNET_WORD(ax)
#else /* arm64 */
#define MAGNET_X(n)	{ "x" #n, MAGNET_WORD(regs[n]) }
static const struct magnet_register magnet_registers[] = {
	MAGNET_X(0), MAGNET_X(1), MAGNET_X(2), MAGNET_X(3), MAGNET_X(4), MAGNET_X(5),
	MAGNET_X(6), MAGNET_X(7), MAGNET_X(8), MAGNET_X(9), MAGNET_X(10), MAGNET_X(11),
	MAGNET_X(12), MAGNET_X(13), MAGNET_X(14), MAGNET_X(15), MAGNET_X(16), MAGNET_X(17),
	MAGNET_X(18), MAGNET_X(19), MAGNET_X(20), MAGNET_X(21), MAGNET_X(22), MAGNET_X(23),
	MAGNET_X(24), MAGNET_X(25), MAGNET_X(26), MAGNET_X(27), MAGNET_X(28), MAGNET_X(29),
	MAGNET_X(30),
	{ "sp", MAGNET_WORD(sp) }, { "pc", MAGNET_WORD(pc) }, { "pstate", MAGNET_WORD(pstate) },
};

static const u8 magnet_argument_words[] = { 0, 1, 2, 3, 4, 5 };

#define MAGNET_RETVAL_WORD	0
#endif

#endif /* _MAGNET_REGISTERS_H */

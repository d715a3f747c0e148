// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols. A module may not look them up; but a kprobe that is never armed
 * looks up its own, and sprint_symbol() names any address. Together they tell
 * why a probe can't be set: the kernel's own answer is a number that means
 * several things.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"
#include "probes/mechanism.h"
#include "probes/symbol.h"

/* Let kprobes look at a place; the address is known even if it says no. */
static int look(struct kprobe *kp)
{
	int err;

	kp->flags = KPROBE_FLAG_DISABLED;
	err = register_kprobe(kp);
	if (!err)
		unregister_kprobe(kp);
	return err;
}

static unsigned long address_of(const char *symbol)
{
	struct kprobe kp = { .symbol_name = symbol };

	look(&kp);
	return (unsigned long)kp.addr;
}

/* The symbol around an address: its name in @name, of KSYM_SYMBOL_LEN bytes. */
static bool symbol_at(unsigned long address, char *name, unsigned long *start,
		      unsigned long *size)
{
	unsigned long offset;
	char *plus;

	sprint_symbol(name, address);
	plus = strchr(name, '+');
	if (!plus || sscanf(plus, "+%lx/%lx", &offset, size) != 2)
		return false;
	*plus = '\0';
	*start = address - offset;
	return true;
}

/* How many functions of the kernel itself have a name, and "name.something". */
struct census {
	unsigned int	same;
	unsigned int	variants;
};

/*
 * Where the kernel's text ends. A kernel without CONFIG_KALLSYMS_ALL finds no
 * symbol at _etext, which is behind it. There the first of the start's code is
 * the next one, and what lies between has none.
 */
static unsigned long end_of_text(void)
{
	return address_of("_etext") ?: address_of("_sinittext");
}

/*
 * From one symbol of the kernel's text to the next: tens of milliseconds. Of
 * several names of one address only one is seen, so a name that is ambiguous
 * only behind such an alias is not found out.
 */
static int take_census(const char *name, struct census *c)
{
	const size_t len = strlen(name);
	unsigned long at = address_of("_stext"), end = end_of_text();
	unsigned long start, size;
	char *found;

	found = kmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL);
	if (!found)
		return -ENOMEM;
	while (at < end) {
		cond_resched();
		if (!symbol_at(at, found, &start, &size) || start + size <= at) {
			at += 16;
			continue;
		}
		at = start + size;
		if (strncmp(found, name, len))
			continue;
		c->same += !found[len];
		c->variants += found[len] == '.';
	}
	kfree(found);
	return 0;
}

static int no_symbol(const char *name, struct netlink_ext_ack *extack)
{
	struct census c = {};
	int err = take_census(name, &c);

	if (err)
		return err;
	if (c.variants)
		NL_SET_ERR_MSG(extack, "no such symbol, but the compiler made variants of it (name.isra.0, name.constprop.0, name.part.0, name.cold): see /proc/kallsyms");
	else
		NL_SET_ERR_MSG(extack, "no such symbol: it does not exist, or the compiler has inlined it; see /proc/kallsyms, and take a function that calls it");
	return -ENOENT;
}

static int explain(int err, struct netlink_ext_ack *extack)
{
	switch (err) {
	case -EILSEQ:
		NL_SET_ERR_MSG(extack, "no instruction starts there; take an offset of the disassembled function (objdump -d)");
		break;
	case -ENOENT:
		NL_SET_ERR_MSG(extack, "not probeable: the function is gone after the kernel's start; choose another");
		break;
	case -EINVAL:
		NL_SET_ERR_MSG(extack, "not probeable: no code, or code that the kernel does not let probe (kprobes/blacklist in debugfs); choose another function");
		break;
	default:
		NL_SET_ERR_MSG(extack, "not probeable: the kernel refused; choose another place, its log (dmesg) may say more");
	}
	return err;
}

/* kprobes take the first of several functions of a name. */
static int refuse_ambiguous(const char *name, struct netlink_ext_ack *extack)
{
	struct census c = {};
	int err;

	if (strchr(name, ':'))
		return 0;
	err = take_census(name, &c);
	if (err || c.same < 2)
		return err;
	NL_SET_ERR_MSG(extack, "the symbol is ambiguous: several functions have this name; give the address of one (/proc/kallsyms)");
	return -EADDRNOTAVAIL;
}

/* Is the place inside the function that it names, or at the start of one? */
static int check_offset(struct magnet_place *place, unsigned long base,
			struct netlink_ext_ack *extack)
{
	char *name = kmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL);
	unsigned long start = base, size = 0;
	bool known;

	if (!name)
		return -ENOMEM;
	known = symbol_at(base, name, &start, &size);
	kfree(name);
	if (!*place->symbol) {
		place->entry = known && start == base;
		return known ? 0 : explain(-EINVAL, extack);
	}
	if (known && place->offset >= size) {
		NL_SET_ERR_MSG(extack, "the offset is behind the end of the function; choose a smaller one");
		return -ERANGE;
	}
	return 0;
}

static int refuse_own(unsigned long address, struct netlink_ext_ack *extack)
{
	if (!within_module(address, THIS_MODULE))
		return 0;
	NL_SET_ERR_MSG(extack, "not probeable: the sensor does not probe itself; choose a function of the kernel, or of another module");
	return -EINVAL;
}

/**
 * magnet_place_exists() - does this kernel have a place, and let it be probed?
 * @place: with a symbol; its address is filled in
 *
 * Context: may sleep.
 * Return: whether it does.
 */
bool magnet_place_exists(struct magnet_place *place)
{
	struct kprobe kp = { .symbol_name = place->symbol, .offset = place->offset };

	if (look(&kp))
		return false;
	place->address = (unsigned long)kp.addr;
	return !within_module(place->address, THIS_MODULE);
}

/**
 * magnet_place_find() - look whether and how a place can be probed
 * @place: as parsed; the rest is filled in
 * @extack: why it can't
 *
 * Context: may sleep, some tens of milliseconds.
 * Return: 0; -ENOENT, -EADDRNOTAVAIL, -ERANGE, -EILSEQ, -EINVAL, -ENOMEM.
 */
int magnet_place_find(struct magnet_place *place, struct netlink_ext_ack *extack)
{
	const bool named = *place->symbol;
	struct kprobe kp = { .offset = place->offset };
	unsigned long base = place->address;
	int err;

	if (named) {
		base = address_of(place->symbol);
		if (!base)
			return no_symbol(place->symbol, extack);
		err = refuse_ambiguous(place->symbol, extack);
		if (err)
			return err;
		kp.symbol_name = place->symbol;
		place->entry = !place->offset;
	} else {
		kp.addr = (kprobe_opcode_t *)base;
	}
	err = check_offset(place, base, extack) ?: refuse_own(base, extack);
	if (err)
		return err;
	if (!IS_ALIGNED(base + place->offset, MAGNET_INSTRUCTION_ALIGN))
		return explain(-EILSEQ, extack);
	err = look(&kp);
	if (err)
		return explain(err, extack);
	place->address = (unsigned long)kp.addr;
	if (!place->entry)
		return 0;
	err = magnet_ftrace_find(place->address);
	place->ftrace = !err;
	return err == -ENOMEM ? err : 0;
}

/**
 * magnet_place_describe() - name a place that was given by its address
 * @place: found
 * @text: symbol, symbol+offset, or the same behind a module's name
 * @size: its room
 *
 * Context: may sleep.
 */
void magnet_place_describe(const struct magnet_place *place, char *text, size_t size)
{
	char symbol[KSYM_SYMBOL_LEN];
	unsigned long offset = 0;
	char *plus, *module;

	/* name+0xOFFSET/0xSIZE, and [module] where it is one's */
	sprint_symbol(symbol, place->address);
	module = strchr(symbol, '[');
	if (module)
		module[strcspn(module, "]")] = '\0';
	plus = strchr(symbol, '+');
	if (plus) {
		if (sscanf(plus, "+%lx", &offset) != 1)
			offset = 0;
		*plus = '\0';
	}
	/* A probe of a function's entry may stand behind the mark of where calls may go to. */
	if (offset && !place->entry)
		snprintf(text, size, "%s%s%s+%#lx", module ? module + 1 : "", module ? ":" : "",
			 symbol, offset);
	else
		snprintf(text, size, "%s%s%s", module ? module + 1 : "", module ? ":" : "",
			 symbol);
}

/**
 * magnet_place_parse() - symbol, symbol+offset, module:symbol or 0xaddress
 * @place: zeroed; what it says
 * @text: the text
 * @extack: what was wrong
 *
 * Return: 0 or -EINVAL.
 */
int magnet_place_parse(struct magnet_place *place, const char *text,
		       struct netlink_ext_ack *extack)
{
	char *plus;

	if (!strncmp(text, "0x", 2)) {
		if (!kstrtoul(text, 16, &place->address) && place->address)
			return 0;
		NL_SET_ERR_MSG(extack, "an address is 0x and up to 16 hexadecimal digits");
		return -EINVAL;
	}
	if (strscpy(place->symbol, text, sizeof(place->symbol)) <= 0) {
		NL_SET_ERR_MSG(extack, "the definition names no function; it comes behind the colon, as in p:vfs_read");
		return -EINVAL;
	}
	plus = strchr(place->symbol, '+');
	if (!plus)
		return 0;
	*plus = '\0';
	if (*place->symbol && !kstrtoul(plus + 1, 0, &place->offset))
		return 0;
	NL_SET_ERR_MSG(extack, "an offset is a number behind the function's name and +");
	return -EINVAL;
}

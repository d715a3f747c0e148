// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fields of dynamic points: the compiler of their definitions, and the loop
 * that fetches them in a handler.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/netlink.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "probes/fetch.h"
#include "probes/registers.h"

/* ---- in a handler ---- */

/* Reads that end at a multiple of 8 never reach into a page that they need not. */
static size_t notrace read_text(char *to, const char *from, size_t room)
{
	size_t done = 0;

	while (done < room) {
		const size_t step = min_t(size_t, room - done,
					  8 - ((unsigned long)(from + done) & 7));

		if (copy_from_kernel_nofault(to + done, from + done, step))
			return 0;
		if (memchr(to + done, 0, step))
			return done + step;
		done += step;
	}
	return done;
}

NOKPROBE_SYMBOL(read_text);

/* What can't be read says so; what is too long is cut; zeros fill the rest. */
static void notrace fetch_text(const struct magnet_fetch_op *op, unsigned long from, char *to)
{
	static const char fault[] = "(fault)";
	size_t len;

	if (read_text(to, (const char *)from, op->size)) {
		len = strnlen(to, op->size - 1);
	} else {
		memcpy(to, fault, sizeof(fault));
		len = sizeof(fault) - 1;
	}
	memset(to + len, 0, op->size - len);
}

NOKPROBE_SYMBOL(fetch_text);

static void notrace fetch(const struct magnet_fetch_op *op, unsigned long value, void *to)
{
	unsigned int i;

	for (i = 0; i < op->nr_derefs; i++) {
		const bool last = i + 1 == op->nr_derefs;

		value += op->deref[i];
		if (last && op->text) {
			fetch_text(op, value, to);
			return;
		}
		if (last) {
			/* In place; what can't be read stays 0. */
			if (copy_from_kernel_nofault(to, (void *)value, op->size))
				memset(to, 0, op->size);
			return;
		}
		if (copy_from_kernel_nofault(&value, (void *)value, sizeof(value)))
			value = 0;
	}
	/* Little endian: the low bytes come first. */
	memcpy(to, &value, op->size);
}

NOKPROBE_SYMBOL(fetch);

/**
 * magnet_fetch_run() - fetch the fields of a point
 * @f: its program
 * @at_return: those of the return, where entry and return are hooked
 * @words: registers or arguments
 * @payload: where to; what no field covers has to be zero already
 *
 * Context: any, NMI included. Memory that can't be read faults without harm;
 * user memory is never touched.
 */
void notrace magnet_fetch_run(const struct magnet_fetch *f, bool at_return,
			      const unsigned long *words, void *payload)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		if (f->op[i].at_return == at_return)
			fetch(&f->op[i], words[f->op[i].word], payload + f->op[i].offset);
}

NOKPROBE_SYMBOL(magnet_fetch_run);

/* ---- the compiler ---- */

#define REFUSE(extack, err, text)		\
({						\
	NL_SET_ERR_MSG(extack, text);		\
	err;					\
})

struct compiler {
	struct magnet_fetch	*f;
	enum magnet_fetch_where	where;
	struct netlink_ext_ack	*extack;
};

static bool has_registers(enum magnet_fetch_where where)
{
	return where != MAGNET_FETCH_FUNCTION && where != MAGNET_FETCH_TRACEPOINT;
}

static int compile_argument(const struct compiler *c, const char *text, struct magnet_fetch_op *op)
{
	const unsigned int most = c->where == MAGNET_FETCH_TRACEPOINT ?
				  MAGNET_TRACEPOINT_ARGUMENTS : MAGNET_FUNCTION_ARGUMENTS;
	unsigned int n;

	if (c->where == MAGNET_FETCH_INSIDE)
		return REFUSE(c->extack, -EINVAL, "$argN is known at a function's entry only; name a register here");
	if (kstrtouint(text, 10, &n) || !n || n > most) {
		if (c->where == MAGNET_FETCH_TRACEPOINT)
			return REFUSE(c->extack, -EINVAL, "a tracepoint has $arg1 to $arg5");
		return REFUSE(c->extack, -EINVAL, "a function has $arg1 to $arg6");
	}
	op->word = has_registers(c->where) ? magnet_argument_words[n - 1] : n - 1;
	return 0;
}

static int compile_register(const struct compiler *c, const char *name, struct magnet_fetch_op *op)
{
	unsigned int i;

	if (!has_registers(c->where))
		return REFUSE(c->extack, -EINVAL, "registers are known to kprobes and return points only; use $argN, or p:");
	for (i = 0; i < ARRAY_SIZE(magnet_registers); i++) {
		if (strcmp(magnet_registers[i].name, name))
			continue;
		op->word = magnet_registers[i].word;
		op->at_return = c->where == MAGNET_FETCH_RETURN;
		return 0;
	}
	return REFUSE(c->extack, -EINVAL, "this machine has no register of this name; they are those of struct pt_regs");
}

static int compile_base(const struct compiler *c, const char *text, struct magnet_fetch_op *op)
{
	if (!strncmp(text, "$arg", 4))
		return compile_argument(c, text + 4, op);
	if (*text == '%')
		return compile_register(c, text + 1, op);
	if (strcmp(text, "$retval"))
		return REFUSE(c->extack, -EINVAL, "a field is [name=]$argN, $retval, %register or +offset(...), and then :type");
	if (c->where != MAGNET_FETCH_RETURN)
		return REFUSE(c->extack, -EINVAL, "$retval is known to return points only; use r:");
	op->word = MAGNET_RETVAL_WORD;
	op->at_return = true;
	return 0;
}

/* +8(-16(base)): the innermost is read first. */
static int compile_value(const struct compiler *c, char *text, struct magnet_fetch_op *op)
{
	s32 outer[MAGNET_FETCH_DEREFS];
	unsigned int n = 0, i;
	size_t len;

	while (*text == '+' || *text == '-') {
		char *open = strchr(text, '(');

		if (n == MAGNET_FETCH_DEREFS)
			return REFUSE(c->extack, -EINVAL, "no more than 4 reads, one inside the other; read what is further away from another point");
		if (!open)
			return REFUSE(c->extack, -EINVAL, "an offset is followed by what it is added to, in parentheses");
		*open = '\0';
		if (kstrtoint(text, 0, &outer[n++]))
			return REFUSE(c->extack, -EINVAL, "an offset is a number of 32 bits");
		text = open + 1;
	}
	len = strlen(text);
	for (i = 0; i < n; i++) {
		if (!len || text[len - 1] != ')')
			return REFUSE(c->extack, -EINVAL, "a parenthesis is not closed");
		text[--len] = '\0';
		op->deref[i] = outer[n - 1 - i];
	}
	op->nr_derefs = n;
	return compile_base(c, text, op);
}

static int bad_type(const struct compiler *c)
{
	return REFUSE(c->extack, -EINVAL, "a type is u8 to u64, s8 to s64, x8 to x64, string, or char[8] to char[248] in steps of 8");
}

static int compile_text_type(const struct compiler *c, const char *type, struct magnet_fetch_op *op)
{
	unsigned int size;
	char end;

	if (sscanf(type, "char[%3u%c", &size, &end) != 2 || end != ']' ||
	    type[strlen(type) - 1] != ']' || size < 8 || size > 248 || size % 8)
		return bad_type(c);
	op->text = true;
	op->size = size;
	if (op->nr_derefs)
		return 0;
	/* A register holds no text but its address. */
	op->deref[0] = 0;
	op->nr_derefs = 1;
	return 0;
}

static int compile_type(const struct compiler *c, const char *type, struct magnet_fetch_op *op)
{
	unsigned int bits;

	if (*type == 'c')
		return compile_text_type(c, type, op);
	if (!*type || !strchr("usx", *type) || !isdigit(type[1]) ||
	    kstrtouint(type + 1, 10, &bits) ||
	    (bits != 8 && bits != 16 && bits != 32 && bits != 64))
		return bad_type(c);
	op->size = bits / 8;
	return 0;
}

static bool is_name(const char *text, size_t room)
{
	const char *at;

	if (!isalpha(*text) && *text != '_')
		return false;
	for (at = text; *at; at++)
		if (!isalnum(*at) && *at != '_')
			return false;
	return at - text < room;
}

/* $arg1 is arg1, and what has no name of its own is fieldN. */
static void default_name(const struct magnet_fetch *f, const char *value, char *name)
{
	if ((*value == '$' || *value == '%') && is_name(value + 1, MAGNET_FIELD_NAME_SIZE))
		strscpy(name, value + 1, MAGNET_FIELD_NAME_SIZE);
	else
		snprintf(name, MAGNET_FIELD_NAME_SIZE, "field%u", f->nr + 1);
}

static int add_field(const struct compiler *c, const char *name, const char *type, u16 offset)
{
	struct magnet_fetch *f = c->f;
	const unsigned int n = f->nr_fields;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!strcmp(f->name[i], name))
			return REFUSE(c->extack, -EINVAL, "two fields have the same name; give one another, NAME=...");
	strscpy(f->name[n], name, sizeof(f->name[n]));
	strscpy(f->type[n], type, sizeof(f->type[n]));
	f->field[n] = (struct magnet_field){ f->name[n], f->type[n], offset };
	f->nr_fields++;
	return 0;
}

/* Each field at a multiple of its size, or of 8. */
static int place(const struct compiler *c, struct magnet_fetch_op *op)
{
	const unsigned int at = round_up(c->f->size, min_t(unsigned int, op->size, 8));

	if (at + op->size > MAGNET_FETCH_SIZE_MAX)
		return REFUSE(c->extack, -EINVAL, "the fields take more than 256 bytes together; leave some out, or take shorter types");
	op->offset = at;
	c->f->size = at + op->size;
	return 0;
}

static int compile_field(const struct compiler *c, char *text)
{
	struct magnet_fetch *f = c->f;
	struct magnet_fetch_op *op = &f->op[f->nr];
	char *equals = strchr(text, '=');
	char *value = equals ? equals + 1 : text;
	char *colon = strchr(value, ':');
	const char *type = colon ? colon + 1 : "u64";
	char name[MAGNET_FIELD_NAME_SIZE];
	int err;

	if (f->nr == MAGNET_FETCH_FIELDS)
		return REFUSE(c->extack, -EINVAL, "no more than 16 fields; leave some out");
	if (equals)
		*equals = '\0';
	if (equals && !is_name(text, sizeof(name)))
		return REFUSE(c->extack, -EINVAL, "a field's name is letters, digits and _, no digit first, up to 31");
	if (colon)
		*colon = '\0';
	if (!strcmp(type, "string"))
		type = "char[64]";
	if (equals)
		strscpy(name, text, sizeof(name));
	else
		default_name(f, value, name);
	err = compile_value(c, value, op);
	if (!err)
		err = compile_type(c, type, op);
	if (!err)
		err = place(c, op);
	if (err)
		return err;
	f->nr++;
	return add_field(c, name, type, op->offset);
}

/**
 * magnet_fetch_compile() - compile the fields of a definition
 * @f: zeroed; the program
 * @where: what there is to fetch from
 * @args: fields, separated by white space; written to
 * @extack: what was wrong
 *
 * A return point's first field is the latency.
 *
 * Return: 0 or -EINVAL.
 */
int magnet_fetch_compile(struct magnet_fetch *f, enum magnet_fetch_where where, char *args,
			 struct netlink_ext_ack *extack)
{
	const struct compiler c = { f, where, extack };
	char *text;
	int err = 0;

	if (where == MAGNET_FETCH_RETURN) {
		err = add_field(&c, "latency", "u64", 0);
		f->size = sizeof(u64);
	}
	while (!err && (text = strsep(&args, " \t\n")))
		if (*text)
			err = compile_field(&c, text);
	f->size = round_up(f->size, MAGNET_RECORD_ALIGN);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts of the control protocol by their grammars, with mistakes.
 */
#include <stdarg.h>
#include <stdlib.h>

#include "fuzz.h"
#include "processor.h"

struct text {
	char		*at;
	size_t		size;
	size_t		len;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(t->at + t->len, t->size - t->len, fmt, args);
	va_end(args);
	t->len = t->len + n < t->size ? t->len + n : t->size - 1;
}

#define PICK(c, ...)								\
	({									\
		static const char *const words_[] = { __VA_ARGS__ };		\
										\
		words_[chance_below(c, KTAP_SIZE(words_))];			\
	})

/* A word of any of the grammars: where it does not belong it is a mistake. */
static const char *word(struct chance *c)
{
	return PICK(c, "log", "if", "and", "in", "sample", "every", "pair", "then", "within", "burst",
		    "more", "than", "$arg1", ":u8", "==", "{", "}", "(", ")", ",", "/", "+", "-",
		    "0x", "99999999999999999999", "%n%s", "\377", " ", "\t", "\n", ";", "''", "1/0");
}

/* One character or word of the text is wrong, or some of it is missing. */
static void mistake(struct chance *c, struct text *t)
{
	const size_t at = t->len ? chance_below(c, t->len) : 0;

	switch (chance_below(c, 4)) {
	case 0:
		t->at[at] = 1 + chance_below(c, 255);
		break;
	case 1:
		t->at[at] = '\0';
		t->len = at;
		break;
	case 2:
		add(t, "%s", word(c));
		break;
	default:
		while (chance_below(c, 8) && t->len < t->size - 1)
			add(t, " %s", word(c));
	}
}

static void value(struct chance *c, struct text *t)
{
	switch (chance_below(c, 4)) {
	case 0:
		add(t, "%s", PICK(c, "127.0.0.1", "10.0.0.0/8", "::1", "fe80::/10", "udp", "tcp",
				  "0.0.0.0/33", "1-5", "{1,2,3}", "1,2,9-11", "-1"));
		break;
	case 1:
		add(t, "0x%llx", (unsigned long long)chance_number(c));
		break;
	default:
		add(t, "%llu", (unsigned long long)chance_number(c));
	}
}

static void test(struct chance *c, struct text *t)
{
	add(t, "%s %s ", PICK(c, "cpu", "tgid", "tid", "id", "len", "family", "protocol", "saddr",
			      "daddr", "sport", "dport", "ifindex", "ethertype", "next_tgid",
			      "arg0", "nothing"),
	    PICK(c, "==", "!=", "<", "<=", ">", ">=", "&", "in", "=~"));
	value(c, t);
}

static void rule(struct chance *c, struct text *t)
{
	switch (chance_below(c, 5)) {
	case 0:
		add(t, "sample %llu", (unsigned long long)chance_number(c));
		break;
	case 1:
		add(t, "every %llu%s%s", (unsigned long long)chance_number(c),
		    PICK(c, "", "", ".5", "."), PICK(c, "us", "ms", "s", "m", "h", "d", ""));
		break;
	default:
		add(t, "%s", PICK(c, "log", "drop", "urgent"));
	}
	if (chance_one_of(c, 4))
		return;
	add(t, " if ");
	test(c, t);
	while (chance_one_of(c, 2)) {
		add(t, " and ");
		test(c, t);
	}
}

void fuzz_rules(struct chance *c, char *text, size_t size)
{
	struct text t = { .at = text, .size = size };

	*text = '\0';
	rule(c, &t);
	while (chance_below(c, 3)) {
		add(&t, "; ");
		rule(c, &t);
	}
	if (chance_one_of(c, 3))
		mistake(c, &t);
}

static void field(struct chance *c, struct text *t)
{
	const unsigned int depth = chance_below(c, 4) ? 0 : chance_below(c, 6);
	unsigned int i;

	add(t, " ");
	if (chance_one_of(c, 2))
		add(t, "f%u=", chance_below(c, 4));
	for (i = 0; i < depth; i++)
		add(t, "%s%llu(", PICK(c, "+", "-"), (unsigned long long)chance_number(c));
	add(t, "%s", PICK(c, "$arg1", "$arg2", "$arg6", "$arg7", "$retval", REGISTER_1, REGISTER_IP,
			  "%zz"));
	for (i = 0; i < depth; i++)
		add(t, ")");
	if (chance_one_of(c, 2))
		add(t, ":%s", PICK(c, "u8", "u16", "s32", "x64", "string", "char[8]", "char[248]",
				   "char[7]", "u7"));
}

/* Few functions: finding out that a name is unknown takes tens of milliseconds. */
void fuzz_definition(struct chance *c, char *text, size_t size)
{
	struct text t = { .at = text, .size = size };
	unsigned int n = chance_below(c, 4) ? chance_below(c, 4) : chance_below(c, 20);

	*text = '\0';
	add(&t, "%s:%s", PICK(c, "p", "r", "r5", "f", "t", "r99999", "x"),
	    PICK(c, SYS_FUNCTION "getppid", SYS_FUNCTION "sched_yield", "sys_enter", "sched_switch",
		 SYS_FUNCTION "getppid+5", SYS_FUNCTION "sched_yield+9", "0x10", "a:b",
		 "udp_sendmsg"));
	while (n--)
		field(c, &t);
	if (chance_one_of(c, 3))
		mistake(c, &t);
}

void fuzz_correlation(struct chance *c, char *text, size_t size)
{
	struct text t = { .at = text, .size = size };
	char first[MAGNET_NAME_SIZE], second[MAGNET_NAME_SIZE];

	*text = '\0';
	fuzz_point_name(c, first, sizeof(first));
	fuzz_point_name(c, second, sizeof(second));
	if (chance_one_of(c, 2))
		add(&t, "pair %s then %s within %llu", first, second,
		    (unsigned long long)chance_number(c));
	else
		add(&t, "burst %s more than %llu in %llu", first,
		    (unsigned long long)chance_number(c), (unsigned long long)chance_number(c));
	add(&t, "%s", PICK(c, "", "us", "ms", "s", ".5s", "m", "h", "d"));
	if (chance_one_of(c, 3))
		mistake(c, &t);
}

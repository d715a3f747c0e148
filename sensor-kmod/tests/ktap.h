/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Test programs that report in the kernel's own form (KTAP): a plan, a line for
 * each test, what was wrong in lines that begin with '#', and a closing line
 * "N passed, N failed".
 */
#ifndef MAGNET_TESTS_KTAP_H
#define MAGNET_TESTS_KTAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct ktap_test {
	const char	*name;
	void		(*run)(void);
};

#define KTAP_TEST(fn)	{ #fn, fn }
#define KTAP_SIZE(a)	(sizeof(a) / sizeof(*(a)))

/* More complaints of one test than these add nothing. */
#define KTAP_COMPLAINTS	20
/* What the running test found; weak, because every file of a program has it. */
int ktap_complaints __attribute__((weak));
/* Why this machine can't run the test, or NULL. */
const char *ktap_skipped __attribute__((weak));

static inline void __attribute__((format(printf, 3, 4)))
ktap_complain(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	if (__atomic_fetch_add(&ktap_complaints, 1, __ATOMIC_RELAXED) >= KTAP_COMPLAINTS)
		return;
	flockfile(stdout);
	printf("# %s:%d: ", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	funlockfile(stdout);
}

#define FAIL(...)	ktap_complain(__FILE__, __LINE__, __VA_ARGS__)

/* The test goes on after EXPECT and ends after REQUIRE. */
#define EXPECT(cond, ...)	do { if (!(cond)) FAIL(__VA_ARGS__); } while (0)
#define REQUIRE(cond, ...)	do { if (!(cond)) { FAIL(__VA_ARGS__); return; } } while (0)

#define EXPECT_EQ(a, b)								\
	do {									\
		long long a_ = (a), b_ = (b);					\
										\
		EXPECT(a_ == b_, "%s is %lld, not %lld", #a, a_, b_);		\
	} while (0)

#define REQUIRE_EQ(a, b)							\
	do {									\
		long long a_ = (a), b_ = (b);					\
										\
		REQUIRE(a_ == b_, "%s is %lld, not %lld", #a, a_, b_);		\
	} while (0)

static inline bool ktap_wanted(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strstr(name, argv[i]))
			return true;
	return argc < 2;
}

/*
 * Run the tests whose names contain one of the arguments, or all. @around runs
 * one of them: in this process, or in one of its own.
 */
static inline int ktap_main_around(const struct ktap_test *tests, int n, int argc, char **argv,
				   void (*around)(const struct ktap_test *test))
{
	int i, run = 0, failed = 0, wanted = 0;

	for (i = 0; i < n; i++)
		wanted += ktap_wanted(tests[i].name, argc, argv);
	printf("KTAP version 1\n1..%d\n", wanted);
	fflush(stdout);
	for (i = 0; i < n; i++) {
		if (!ktap_wanted(tests[i].name, argc, argv))
			continue;
		ktap_complaints = 0;
		ktap_skipped = NULL;
		around(&tests[i]);
		failed += !!ktap_complaints;
		printf("%s %d %s%s%s\n", ktap_complaints ? "not ok" : "ok", ++run, tests[i].name,
		       ktap_skipped ? " # SKIP " : "", ktap_skipped ? ktap_skipped : "");
		fflush(stdout);
	}
	printf("%d passed, %d failed\n", run - failed, failed);
	return failed || !run;
}

static inline void ktap_run_here(const struct ktap_test *test)
{
	test->run();
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who changes a subscription waits for the handlers that still see what it was,
 * wherever they run: module/magnet_patient.ko, which has to be loaded, keeps
 * them busy until a change is done that began after them, or for a while.
 *
 * The processor's idle loop is where RCU does not watch on kernels that let it
 * be hooked there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "guest.h"
#include "processor.h"
#include "request.h"
#include "sensor.h"

#define PARAMETERS	"/sys/module/magnet_patient/parameters/"
#define BUSY		SYS_FUNCTION "sched_get_priority_max"
#define IDLE		"default_idle"
#define CHANGES		100

static struct sensor s;
static char point[MAGNET_NAME_SIZE];

static unsigned long parameter(const char *name)
{
	char path[128];
	unsigned long value;
	FILE *file;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	file = fopen(path, "re");
	NEED(file && fscanf(file, "%lu", &value) == 1, "%s: %s", path, strerror(errno));
	fclose(file);
	return value;
}

/* Another sampling each time, so that what was there before is freed. */
static void change(unsigned int n)
{
	struct request r;
	struct answer a;
	char text[16];

	request_begin(&r, &s.ctl, MAGNET_CMD_SUB_SET);
	request_put_u32(&r, MAGNET_A_SUB_ID, s.sub);
	request_put_u32(&r, MAGNET_A_SAMPLE_COUNT, 2 + n % 7);
	a = request_send(&r, &s.ctl, NULL, NULL);
	NEED(!a.error, "%s", a.text);
	snprintf(text, sizeof(text), "%u", n);
	NEED(guest_write_file(PARAMETERS "changes", text), "changes: %s", strerror(errno));
}

/* This thread stays on CPU 0. False: the kernel does not let it be hooked. */
static bool begin(const char *definition)
{
	guest_on_cpu(0);
	sensor_make(&s, 1 << 20);
	if (ctl_point_insert(&s.ctl, NULL, definition, 0, point))
		return false;
	sensor_subscribe(&s, point, 0);
	NEED(guest_write_file(PARAMETERS "point", point), "%s: %s", point, strerror(errno));
	return true;
}

static struct magnet_ctl_counters end(void)
{
	struct magnet_ctl_counters c;

	NEED(guest_write_file(PARAMETERS "point", "\n"), "no point: %s", strerror(errno));
	NEED(!ctl_sub_del(&s.ctl, s.sub, &c), "%s", s.ctl.error);
	sensor_end(&s);
	return c;
}

/* A handler where RCU watches keeps a change waiting. */
static void changes_wait_for_handlers(void)
{
	unsigned int n = 0;
	pid_t caller;

	NEED(begin("f:" BUSY), "%s", s.ctl.error);
	caller = fork();
	if (!caller) {
		guest_on_cpu(1);
		for (;;)
			syscall(SYS_sched_get_priority_max, SCHED_FIFO);
	}
	while (parameter("calls") < 5)
		change(++n);
	EXPECT_EQ(parameter("outlived"), 0);
	EXPECT_EQ(parameter("unwatched"), 0);
	kill(caller, SIGKILL);
	end();
}

/* Where RCU does not, nothing would: no handler is run, and the hits are told. */
static void expect_none_unwatched(const char *definition)
{
	struct magnet_ctl_counters c;
	unsigned int n;

	if (!begin(definition)) {
		EXPECT(strstr(s.ctl.error, "not probeable") ||
		       strstr(s.ctl.error, "no such symbol"), "the text is \"%s\"",
		       s.ctl.error);
		sensor_end(&s);
		return;
	}
	for (n = 1; n <= CHANGES; n++) {
		change(n);
		guest_nap();
	}
	EXPECT_EQ(parameter("unwatched"), 0);
	EXPECT_EQ(parameter("outlived"), 0);
	c = end();
	EXPECT_EQ(c.hits, 0);
	EXPECT(c.missed > 0, "no hit is told of");
}

static void no_function_is_logged_unwatched(void)
{
	expect_none_unwatched("f:" IDLE);
}

static void no_kprobe_is_logged_unwatched(void)
{
	expect_none_unwatched("p:" IDLE);
}

static void no_return_is_logged_unwatched(void)
{
	expect_none_unwatched("r:" IDLE);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(changes_wait_for_handlers),
	KTAP_TEST(no_function_is_logged_unwatched),
	KTAP_TEST(no_kprobe_is_logged_unwatched),
	KTAP_TEST(no_return_is_logged_unwatched),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}

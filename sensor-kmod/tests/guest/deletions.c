// SPDX-License-Identifier: GPL-2.0-only
/*
 * As many subscriptions as a socket may have are ended one by one, for who looks
 * on meanwhile: this thread is called "deleting" while it does so.
 */
#define _GNU_SOURCE
#include <sys/prctl.h>

#include "guest.h"
#include "sensor.h"

#define BUFFER	"deletions"

static struct magnet_ctl ctl;
static uint32_t subs[MAGNET_CLIENT_SUBS_MAX];

/* Of a tracepoint that nobody comes by, as often as may be. */
static void subscribe_to_all(void)
{
	unsigned int i;
	char name[16];

	for (i = 0; i < KTAP_SIZE(subs); i++) {
		snprintf(name, sizeof(name), "deleted%u", i / MAGNET_POINT_SUBS_MAX);
		if (i % MAGNET_POINT_SUBS_MAX == 0)
			NEED(!ctl_point_insert(&ctl, name, "t:sched_process_exec", 0, NULL), "%s",
			     ctl.error);
		NEED(!ctl_sub_new(&ctl, name, BUFFER, 0, &subs[i]), "%s", ctl.error);
	}
}

static void each_subscription_ends(void)
{
	struct magnet_ctl_counters counters;
	unsigned int i;

	NEED(!ctl_open(&ctl), "%s", ctl.error);
	NEED(!ctl_buffer_new(&ctl, BUFFER, MAGNET_BUFFER_SIZE_MIN, 0, NULL), "%s", ctl.error);
	subscribe_to_all();
	prctl(PR_SET_NAME, "deleting");
	for (i = 0; i < KTAP_SIZE(subs); i++)
		EXPECT(!ctl_sub_del(&ctl, subs[i], &counters), "%u: %s", i, ctl.error);
	prctl(PR_SET_NAME, "deleted");
	ctl_close(&ctl);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(each_subscription_ends),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}

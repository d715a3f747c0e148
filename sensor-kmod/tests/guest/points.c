// SPDX-License-Identifier: GPL-2.0-only
/*
 * Points outside the network: known work, exact answer.
 */
#include <unistd.h>

#include "guest.h"
#include "recording.h"

/* ---- scheduler ---- */

#define MIGRATIONS	101

struct migration {
	uint32_t	tid;
	unsigned int	dest_cpu;
};

static bool is_migration(const struct record *rec, const void *arg)
{
	const struct magnet_migrate *migrate = rec->payload;
	const struct migration *want = arg;

	return rec->event == MAGNET_EVENT_SCHED_MIGRATE_TASK && rec->id == want->tid &&
	       migrate->dest_cpu == want->dest_cpu && migrate->orig_cpu != want->dest_cpu;
}

static void each_migration_is_logged(void)
{
	struct migration want = { .tid = guest_tid() };
	unsigned int i;

	guest_on_cpu(0);
	RECORD("sched_migrate_task");
	for (i = 1; i <= MIGRATIONS; i++)
		guest_on_cpu(i % 2);
	recording_stop();
	want.dest_cpu = 0;
	EXPECT_EQ(recording_count(is_migration, &want), MIGRATIONS / 2);
	want.dest_cpu = 1;
	EXPECT_EQ(recording_count(is_migration, &want), MIGRATIONS - MIGRATIONS / 2);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(each_migration_is_logged),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}

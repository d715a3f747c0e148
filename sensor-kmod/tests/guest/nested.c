// SPDX-License-Identifier: GPL-2.0-only
/*
 * A handler interrupts another of its point, which has a place in memory for
 * what rules look at: module/magnet_nested.ko, which is loaded, drops a packet
 * of one byte inside each handler that is about to log. Neither event gets the
 * other's verdict, or its payload.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

#include "guest.h"
#include "request.h"
#include "sensor.h"

#define NESTED		"/sys/module/magnet_nested/parameters/nested"
/* What a socket takes without a reader is ten. */
#define DATAGRAMS	8
#define SOCKETS		125
#define EVENTS		(SOCKETS * DATAGRAMS)

static struct sensor s;

static unsigned long nested(void)
{
	FILE *file = fopen(NESTED, "re");
	unsigned long n;

	NEED(file && fscanf(file, "%lu", &n) == 1, NESTED ": %s", strerror(errno));
	fclose(file);
	return n;
}

/* Even ones: those inside are odd. Neighbours differ. */
static unsigned int length_of(unsigned int event)
{
	return 2 + event % 509 * 2;
}

static void drop_datagrams(unsigned int first)
{
	static const char data[1024];
	unsigned int event;
	int fds[2];

	NEED(!socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds), "socketpair: %s",
	     strerror(errno));
	for (event = first; event < first + DATAGRAMS; event++)
		NEED(send(fds[0], data, length_of(event), MSG_DONTWAIT) == length_of(event),
		     "send: %s", strerror(errno));
	close(fds[1]);
	close(fds[0]);
}

/* ---- requests ---- */

static void keep_id(struct attrs attrs, void *id)
{
	*(uint32_t *)id = attrs_u32(attrs, MAGNET_A_SUB_ID);
}

static void subscribe(const char *rules)
{
	struct request r;
	struct answer a;

	request_begin(&r, &s.ctl, MAGNET_CMD_SUB_NEW);
	request_put_text(&r, MAGNET_A_POINT, "kfree_skb");
	request_put_text(&r, MAGNET_A_BUFFER, s.buffer);
	request_put_text(&r, MAGNET_A_RULES, rules);
	a = request_send(&r, &s.ctl, keep_id, &s.sub);
	NEED(!a.error, "%s", a.text);
}

struct matched {
	unsigned int	rules;
	uint64_t	by[2];
};

static void keep_matched(struct attrs attrs, void *arg)
{
	struct matched *matched = arg;
	struct attrs rule;
	uint16_t type;

	while (attrs_next(&attrs, &type, &rule)) {
		if (type != MAGNET_A_RULE)
			continue;
		NEED(matched->rules < 2, "there are more rules");
		matched->by[matched->rules++] = attrs_u64(rule, MAGNET_A_MATCHED);
	}
}

/* ---- what there is ---- */

static void expect_records(void)
{
	static char data[1 << 20];
	const ssize_t got = read(s.fd, data, sizeof(data));
	const void *at = data, *end = data + (got < 0 ? 0 : got);
	unsigned int event = 0;
	struct record rec;

	while (records_next(&at, end, &rec)) {
		if (rec.event == MAGNET_EVENT_CLOCK)
			continue;
		REQUIRE_EQ(rec.event, MAGNET_EVENT_KFREE_SKB);
		REQUIRE_EQ(((const struct magnet_drop *)rec.payload)->len, length_of(event));
		event++;
	}
	EXPECT_EQ(event, EVENTS);
}

/* Rules that handlers look at by themselves, as they are the only subscription's. */
static void events_inside_others_stay_apart(void)
{
	struct matched matched = {};
	struct magnet_ctl_counters c;
	unsigned long inside;
	unsigned int first;
	struct answer a;
	char rules[64];

	snprintf(rules, sizeof(rules), "drop if tgid != %d; drop if len & 1", (int)getpid());
	sensor_make(&s, 1 << 20);
	sensor_open(&s, 0);
	guest_on_cpu(0);
	inside = nested();
	subscribe(rules);
	for (first = 0; first < EVENTS; first += DATAGRAMS)
		drop_datagrams(first);
	a = request_dump(&s.ctl, MAGNET_CMD_RULE_GET, keep_matched, &matched);
	NEED(!a.error && matched.rules == 2, "%s", a.text);
	NEED(!ctl_sub_del(&s.ctl, s.sub, &c), "%s", s.ctl.error);
	EXPECT_EQ(nested() - inside, EVENTS);
	EXPECT_EQ(matched.by[1], EVENTS);
	EXPECT_EQ(c.committed, EVENTS);
	/* Other processes drop packets, too. */
	EXPECT_EQ(c.filtered, matched.by[0] + matched.by[1]);
	EXPECT_EQ(c.hits, c.committed + c.filtered);
	expect_records();
	close(s.fd);
	sensor_end(&s);
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(events_inside_others_stay_apart),
	};

	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}

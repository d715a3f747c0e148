// SPDX-License-Identifier: GPL-2.0-only
/*
 * test-shortage: every command of the ABI.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

#include "guest.h"
#include "processor.h"
#include "request.h"
#include "sensor.h"
#include "shortage.h"

#define SNAPSHOT	"shorter"
#define POINT		"short_point"
#define FUNCTION	SYS_FUNCTION "sched_get_priority_max"
/* Unhooked under shortage: the kernel warns of kprobes that it can't disarm. */
#define HOOKED		"t:sched_process_exec"

/* ---- buffers, subscriptions, points ---- */

int new_buffer(void)
{
	return ctl_buffer_new(&ctl, BUFFER, MAGNET_BUFFER_SIZE_MIN, 0, NULL);
}

static void del_buffer(void)
{
	ctl_buffer_del(&ctl, BUFFER);
}

static void open_all(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		const int fd = ctl_data_open(BUFFER, cpu, O_NONBLOCK);

		EXPECT(fd >= 0, "cpu%u: %s", cpu, strerror(-fd));
		close(fd);
	}
}

void buffer_new(void)
{
	begin();
	each_allocation(new_buffer, del_buffer, open_all);
}

void begin_with_buffer(void)
{
	begin();
	NEED(!new_buffer(), "%s", ctl.error);
}

static const char *subscribed;

static int new_sub(void)
{
	return ctl_sub_new(&ctl, subscribed, BUFFER, 0, &sub);
}

static void find_sub(struct attrs attrs, void *arg)
{
	*(uint32_t *)arg = attrs_u32(attrs, MAGNET_A_SUB_ID);
}

static void del_subs(void)
{
	uint32_t id = 0;

	request_dump(&ctl, MAGNET_CMD_SUB_GET, find_sub, &id);
	if (id)
		ctl_sub_del(&ctl, id, NULL);
}

static void subscribe_to(const char *point)
{
	begin_with_buffer();
	subscribed = point;
	each_allocation(new_sub, del_subs, NULL);
}

void sub_new_of_ftrace(void)
{
	subscribe_to("inet_sendmsg");
}

void sub_new_of_tracepoint(void)
{
	subscribe_to("sched_process_fork");
}

void sub_new_of_marker(void)
{
	subscribe_to("marker");
}

/* With all that a subscription may wish. */
static int new_sub_with_wishes(void)
{
	const struct magnet_ctl_wish wish = {
		.rules = "drop if cpu == 1; sample 3 if tid != 0; every 1ms",
		.sample_count = 2,
		.counters = MAGNET_COUNTER_CPU_CLOCK | MAGNET_COUNTER_CONTEXT_SWITCHES,
	};

	return ctl_sub_new_wish(&ctl, "inet_sendmsg", BUFFER, MAGNET_F_URGENT, &wish, &sub);
}

void sub_new_with_wishes(void)
{
	begin_with_buffer();
	each_allocation(new_sub_with_wishes, del_subs, NULL);
}

static const char *definition;

static int insert_point(void)
{
	return ctl_point_insert(&ctl, POINT, definition, 0, NULL);
}

static void remove_point(void)
{
	ctl_point_remove(&ctl, POINT);
}

static void insert_each(const char *text)
{
	begin();
	definition = text;
	each_allocation(insert_point, remove_point, NULL);
}

void point_insert_kprobe(void)
{
	insert_each("p:" FUNCTION " a=$arg1 b=+0($arg1):u32");
}

void point_insert_kretprobe(void)
{
	insert_each("r:" FUNCTION " $retval:s64");
}

void point_insert_ftrace(void)
{
	insert_each("f:" FUNCTION " a=$arg1");
}

void point_insert_tracepoint(void)
{
	insert_each("t:sys_enter nr=$arg2");
}

static void subscribe_to_dynamic(const char *text)
{
	begin_with_buffer();
	definition = text;
	NEED(!insert_point(), "%s", ctl.error);
	subscribed = POINT;
	each_allocation(new_sub, del_subs, NULL);
}

void sub_new_of_kprobe(void)
{
	subscribe_to_dynamic("p:" FUNCTION " a=$arg1");
}

void sub_new_of_kretprobe(void)
{
	subscribe_to_dynamic("r:" FUNCTION " $retval:s64");
}

/* ---- requests that have no function of their own in magnet_ctl.h ---- */

static struct request raw;

static int send_raw(void)
{
	return ctl_raw(&ctl, raw.genl.cmd, 0, raw.attrs,
		       raw.nl.nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN);
}

/* The request is in @raw: with enough memory it works, and what it did is undone. */
static void each_allocation_of_raw(void (*undo)(void))
{
	NEED(!send_raw(), "%s", ctl.error);
	undo();
	each_allocation(send_raw, undo, NULL);
}

static void resize_back(void)
{
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_BUFFER_RESIZE);
	request_put_text(&r, MAGNET_A_BUFFER, BUFFER);
	request_put_u64(&r, MAGNET_A_BUFFER_SIZE, MAGNET_BUFFER_SIZE_MIN);
	request_send(&r, &ctl, NULL, NULL);
}

void buffer_resize(void)
{
	begin_with_buffer();
	request_begin(&raw, &ctl, MAGNET_CMD_BUFFER_RESIZE);
	request_put_text(&raw, MAGNET_A_BUFFER, BUFFER);
	request_put_u64(&raw, MAGNET_A_BUFFER_SIZE, 2 * MAGNET_BUFFER_SIZE_MIN);
	each_allocation_of_raw(resize_back);
}

static void del_snapshot(void)
{
	ctl_buffer_del(&ctl, SNAPSHOT);
}

void buffer_snapshot(void)
{
	begin();
	/* Only what a flight recorder has can be taken. */
	NEED(!ctl_buffer_new(&ctl, BUFFER, MAGNET_BUFFER_SIZE_MIN, MAGNET_F_OVERWRITE, NULL),
	     "%s", ctl.error);
	request_begin(&raw, &ctl, MAGNET_CMD_BUFFER_SNAPSHOT);
	request_put_text(&raw, MAGNET_A_BUFFER, BUFFER);
	request_put_text(&raw, MAGNET_A_SNAPSHOT, SNAPSHOT);
	each_allocation_of_raw(del_snapshot);
}

static void begin_with_sub(void)
{
	begin_with_buffer();
	NEED(!ctl_sub_new(&ctl, "inet_sendmsg", BUFFER, 0, &sub), "%s", ctl.error);
}

static void no_rules(void)
{
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_SUB_SET);
	request_put_u32(&r, MAGNET_A_SUB_ID, sub);
	request_put_text(&r, MAGNET_A_RULES, "");
	request_put_u32(&r, MAGNET_A_COUNTERS, 0);
	request_send(&r, &ctl, NULL, NULL);
}

void sub_set(void)
{
	begin_with_sub();
	request_begin(&raw, &ctl, MAGNET_CMD_SUB_SET);
	request_put_u32(&raw, MAGNET_A_SUB_ID, sub);
	request_put_text(&raw, MAGNET_A_RULES, "drop if cpu == 1; log if len > 100 and tid != 0");
	request_put_u32(&raw, MAGNET_A_COUNTERS, MAGNET_COUNTER_CPU_CLOCK);
	each_allocation_of_raw(no_rules);
}

void rule_new(void)
{
	begin_with_sub();
	request_begin(&raw, &ctl, MAGNET_CMD_RULE_NEW);
	request_put_u32(&raw, MAGNET_A_SUB_ID, sub);
	request_put_text(&raw, MAGNET_A_RULE_TEXT, "drop if cpu == 1");
	each_allocation_of_raw(no_rules);
}

static void find_correlation(struct attrs attrs, void *arg)
{
	*(uint32_t *)arg = attrs_u32(attrs, MAGNET_A_CORRELATION_ID);
}

static void del_correlations(void)
{
	struct request r;
	uint32_t id = 0;

	request_dump(&ctl, MAGNET_CMD_CORRELATION_GET, find_correlation, &id);
	if (!id)
		return;
	request_begin(&r, &ctl, MAGNET_CMD_CORRELATION_DEL);
	request_put_u32(&r, MAGNET_A_CORRELATION_ID, id);
	request_send(&r, &ctl, NULL, NULL);
}

static void correlate(const char *text)
{
	begin_with_buffer();
	request_begin(&raw, &ctl, MAGNET_CMD_CORRELATION_NEW);
	request_put_text(&raw, MAGNET_A_BUFFER, BUFFER);
	request_put_text(&raw, MAGNET_A_DEFINITION, text);
	each_allocation_of_raw(del_correlations);
}

void correlation_new_of_burst(void)
{
	correlate("burst marker more than 3 in 1ms");
}

void correlation_new_of_pair(void)
{
	correlate("pair udp_sendmsg then marker within 1ms");
}

static void begin_guard(struct request *r, uint32_t rate)
{
	request_begin(r, &ctl, MAGNET_CMD_POINT_SET);
	request_put_text(r, MAGNET_A_POINT, "inet_sendmsg");
	request_put_u32(r, MAGNET_A_STORM_RATE, rate);
}

static void unset_point(void)
{
	struct request r;

	begin_guard(&r, 0);
	request_put_u32(&r, MAGNET_A_ENABLED, 0);
	NEED(!request_send(&r, &ctl, NULL, NULL).error, "the point can't be switched off");
}

/* A point with a subscription: it is hooked anew, and has a guard. */
void point_set(void)
{
	begin_with_sub();
	unset_point();
	begin_guard(&raw, 100);
	request_put_u32(&raw, MAGNET_A_ENABLED, 1);
	each_allocation_of_raw(unset_point);
}

static void set_guard(uint32_t rate)
{
	struct request r;

	begin_guard(&r, rate);
	NEED(!request_send(&r, &ctl, NULL, NULL).error, "the guard can't be set");
}

static void guard_as_before(void)
{
	set_guard(7);
}

/* Another guard in the place of one that is in use. */
void point_set_of_a_guard(void)
{
	begin_with_sub();
	set_guard(7);
	begin_guard(&raw, 100);
	each_allocation_of_raw(guard_as_before);
}

/* ---- removals ---- */

static void make_buffer(void)
{
	NEED(!new_buffer(), "%s", ctl.error);
}

static int remove_buffer(void)
{
	return ctl_buffer_del(&ctl, BUFFER);
}

void buffer_del(void)
{
	begin();
	each_allocation_of_removal(make_buffer, remove_buffer);
}

static void make_point(void)
{
	NEED(!insert_point(), "%s", ctl.error);
}

static int remove_point_told(void)
{
	return ctl_point_remove(&ctl, POINT);
}

void point_remove(void)
{
	begin();
	definition = "p:" FUNCTION " a=$arg1";
	each_allocation_of_removal(make_point, remove_point_told);
}

static void make_sub(void)
{
	NEED(!new_sub(), "%s", ctl.error);
}

static int remove_sub(void)
{
	return ctl_sub_del(&ctl, sub, NULL);
}

void sub_del(void)
{
	begin_with_buffer();
	subscribed = "inet_sendmsg";
	each_allocation_of_removal(make_sub, remove_sub);
}

static uint32_t rule, correlation;

static void find_rule(struct attrs attrs, void *arg)
{
	struct attrs found;

	(void)arg;
	if (attrs_find(attrs, MAGNET_A_RULE, &found))
		rule = attrs_u32(found, MAGNET_A_RULE_ID);
}

/* In front of the one that stays. */
static void make_rule(void)
{
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_RULE_NEW);
	request_put_u32(&r, MAGNET_A_SUB_ID, sub);
	request_put_text(&r, MAGNET_A_RULE_TEXT, "drop if cpu == 1");
	NEED(!request_send(&r, &ctl, find_rule, NULL).error, "no rule");
}

static int remove_rule(void)
{
	request_begin(&raw, &ctl, MAGNET_CMD_RULE_DEL);
	request_put_u32(&raw, MAGNET_A_SUB_ID, sub);
	request_put_u32(&raw, MAGNET_A_RULE_ID, rule);
	return send_raw();
}

void rule_del(void)
{
	const struct magnet_ctl_wish wish = { .rules = "log if len > 100" };

	begin_with_buffer();
	NEED(!ctl_sub_new_wish(&ctl, "inet_sendmsg", BUFFER, 0, &wish, &sub), "%s", ctl.error);
	each_allocation_of_removal(make_rule, remove_rule);
}

static void make_correlation(void)
{
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_CORRELATION_NEW);
	request_put_text(&r, MAGNET_A_BUFFER, BUFFER);
	request_put_text(&r, MAGNET_A_DEFINITION, "burst marker more than 3 in 1ms");
	NEED(!request_send(&r, &ctl, find_correlation, &correlation).error, "no filter");
}

static int remove_correlation(void)
{
	request_begin(&raw, &ctl, MAGNET_CMD_CORRELATION_DEL);
	request_put_u32(&raw, MAGNET_A_CORRELATION_ID, correlation);
	return send_raw();
}

void correlation_del(void)
{
	begin_with_buffer();
	each_allocation_of_removal(make_correlation, remove_correlation);
}

static void make_all(void)
{
	make_buffer();
	make_point();
	make_sub();
	make_correlation();
}

static int remove_all(void)
{
	return ctl_shutdown(&ctl);
}

void shutdown_of_all(void)
{
	begin();
	definition = HOOKED;
	subscribed = POINT;
	each_allocation_of_removal(make_all, remove_all);
}

/* ---- questions ---- */

static uint8_t question;
static unsigned int answers;

/* The whole of the answer, or why there is none; what came of it is nothing then. */
static int hear_dump(int fd)
{
	static char data[65536] __attribute__((aligned(8)));
	struct nlmsghdr *nl;
	ssize_t got;

	while ((got = recv(fd, data, sizeof(data), 0)) > 0)
		for (nl = (void *)data; NLMSG_OK(nl, (unsigned int)got); nl = NLMSG_NEXT(nl, got)) {
			if (nl->nlmsg_type == NLMSG_ERROR)
				return ((struct nlmsgerr *)NLMSG_DATA(nl))->error;
			if (nl->nlmsg_type == NLMSG_DONE)
				return *(int *)NLMSG_DATA(nl);
			answers++;
		}
	return -errno;
}

static struct magnet_ctl asking;

/* A new one, so that nothing of a broken answer is left. */
static void new_socket(void)
{
	if (asking.fd > 0)
		close(asking.fd);
	asking = ctl;
	asking.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	NEED(asking.fd >= 0, "socket: %s", strerror(errno));
}

static int ask(void)
{
	struct request r;

	request_begin(&r, &asking, question);
	r.nl.nlmsg_flags |= NLM_F_DUMP;
	answers = 0;
	return send(asking.fd, &r, r.nl.nlmsg_len, 0) < 0 ? -errno : hear_dump(asking.fd);
}

static unsigned int all_answers;

static void expect_all_answers(void)
{
	EXPECT_EQ(answers, all_answers);
}

/* It is answered in whole, or not. */
static void question_of(uint8_t cmd)
{
	begin();
	definition = HOOKED;
	subscribed = POINT;
	make_all();
	request_begin(&raw, &ctl, MAGNET_CMD_RULE_NEW);
	request_put_u32(&raw, MAGNET_A_SUB_ID, sub);
	request_put_text(&raw, MAGNET_A_RULE_TEXT, "drop if cpu == 1");
	NEED(!send_raw(), "%s", ctl.error);
	question = cmd;
	new_socket();
	NEED(!ask() && answers, "no answer");
	all_answers = answers;
	each_allocation(ask, new_socket, expect_all_answers);
}

void point_get(void)
{
	question_of(MAGNET_CMD_POINT_GET);
}

void buffer_get(void)
{
	question_of(MAGNET_CMD_BUFFER_GET);
}

void sub_get(void)
{
	question_of(MAGNET_CMD_SUB_GET);
}

void rule_get(void)
{
	question_of(MAGNET_CMD_RULE_GET);
}

void correlation_get(void)
{
	question_of(MAGNET_CMD_CORRELATION_GET);
}

void drop_reason_get(void)
{
	question_of(MAGNET_CMD_DROP_REASON_GET);
}

void info_get(void)
{
	begin();
	request_begin(&raw, &ctl, MAGNET_CMD_INFO_GET);
	each_allocation(send_raw, nothing, NULL);
}

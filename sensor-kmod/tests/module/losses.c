// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that can't be logged, to order: "magnet_losses", whose payload has up
 * to PAYLOAD_MAX bytes. In /sys/module/magnet_losses/parameters:
 *
 *   echo "add 9000 100" >order		100 events of 9,000 bytes each
 *   echo "reserve 9000 100" >order	the same, to be written in place
 *   echo "nested 8 100" >order		100 times three events of 8 bytes inside
 *					each other
 */
#include <linux/err.h>
#include <linux/module.h>

#include <magnet.h>
#include <uapi/magnet.h>

/* As much as an event may have. */
#define PAYLOAD_MAX	8008
/* More than a record may have. */
#define SIZE_MAX_HERE	(2 * MAGNET_RECORD_SIZE_MAX)

static const struct magnet_field fields[] = {
	{ "first", "u64", 0 },
	{}
};

static const struct magnet_event_type type = {
	.name = "magnet_losses",
	.subsystem = "test",
	.id_means = "number",
	.fields = fields,
	.payload_size = sizeof(u64),
	.payload_max = PAYLOAD_MAX,
};

static struct magnet_own_event *event;
static const u8 payload[SIZE_MAX_HERE];

static void add(u32 number, u32 size)
{
	magnet_add(event, number, payload, size);
}

static void reserve(u32 number, u32 size)
{
	struct magnet_reservation r;
	void *to = magnet_reserve(&r, event, number, size);

	if (!to)
		return;
	memset(to, 0, size);
	magnet_commit(&r);
}

/*
 * The second might be an interrupt's that is not known as such yet, so it is let
 * through; the third is recursion for sure.
 */
static void nested(u32 number, u32 size)
{
	struct magnet_reservation first, second;
	void *to;

	to = magnet_reserve(&first, event, number, size);
	if (!to)
		return;
	memset(to, 0, size);
	to = magnet_reserve(&second, event, number, size);
	if (to)
		memset(to, 0, size);
	add(number, size);
	magnet_commit(&second);
	magnet_commit(&first);
}

static const struct {
	const char	*name;
	void		(*make)(u32 number, u32 size);
} orders[] = {
	{ "add", add },
	{ "reserve", reserve },
	{ "nested", nested },
};

static int obey(const char *text, const struct kernel_param *unused)
{
	u32 size, n, number;
	unsigned int i;
	char what[8];

	/* At the command line of insmod there is no event yet. */
	if (!event || sscanf(text, "%7s %u %u", what, &size, &n) != 3 || size > SIZE_MAX_HERE)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		if (strcmp(what, orders[i].name))
			continue;
		for (number = 1; number <= n; number++)
			orders[i].make(number, size);
		return 0;
	}
	return -EINVAL;
}

static const struct kernel_param_ops order_ops = { .set = obey };

module_param_cb(order, &order_ops, NULL, 0200);
MODULE_PARM_DESC(order, "what to log: add, reserve or nested, bytes and how often");

static int __init losses_init(void)
{
	struct magnet_own_event *made = magnet_event_register(&type);

	if (IS_ERR(made))
		return PTR_ERR(made);
	event = made;
	return 0;
}

static void __exit losses_exit(void)
{
	magnet_event_unregister(event);
}

module_init(losses_init);
module_exit(losses_exit);

MODULE_DESCRIPTION("Events that magnet can't log, to test it");
MODULE_AUTHOR("The magnet developers");
MODULE_LICENSE("GPL");

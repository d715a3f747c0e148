// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every NMI is an event: "magnet_nmi", whose abstract id counts them on each
 * CPU. They are taken as handled, so that the kernel does not wonder about
 * those that QEMU's monitor sends.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <asm/nmi.h>

#include <magnet.h>

struct nmi_event {
	u64	number;
};

static const struct magnet_field fields[] = {
	{ "number", "u64", offsetof(struct nmi_event, number) },
	{}
};

static const struct magnet_event_type type = {
	.name = "magnet_nmi",
	.subsystem = "test",
	.id_means = "number",
	.fields = fields,
	.payload_size = sizeof(struct nmi_event),
};

static struct magnet_own_event *event;
static DEFINE_PER_CPU(u64, number);

static int on_nmi(unsigned int what, struct pt_regs *regs)
{
	const struct nmi_event payload = { .number = __this_cpu_inc_return(number) };

	magnet_add(event, payload.number, &payload, sizeof(payload));
	return NMI_HANDLED;
}

static int __init nmi_init(void)
{
	int err;

	event = magnet_event_register(&type);
	if (IS_ERR(event))
		return PTR_ERR(event);
	err = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "magnet_nmi");
	if (err)
		magnet_event_unregister(event);
	return err;
}

static void __exit nmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "magnet_nmi");
	magnet_event_unregister(event);
}

module_init(nmi_init);
module_exit(nmi_exit);

MODULE_DESCRIPTION("An event for each NMI, to test magnet");
MODULE_AUTHOR("The magnet developers");
MODULE_LICENSE("GPL");

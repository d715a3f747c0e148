// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a dynamic point: from its definition to its end. What it is
 * hooked with is the business of ftrace.c, tracepoint.c and kprobe.c, as with
 * any other point: hooked while it has subscriptions.
 *
 *   p:PLACE [FIELD...]		kprobe, at any instruction
 *   r[N]:PLACE [FIELD...]	kretprobe, a function's return; N calls at once
 *   f:PLACE [FIELD...]		ftrace, a function's entry
 *   t:NAME [FIELD...]		tracepoint; module:NAME may wait for the module
 *
 * PLACE: symbol, symbol+offset, module:symbol or 0xaddress. FIELD: fetch.h.
 */
#include <linux/ctype.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <linux/moduleparam.h>
#include <linux/netlink.h>

#include "compat.h"
#include "monisub/eventdb.h"
#include "owner.h"
#include "probes/dynamic.h"
#include "probes/fetch.h"
#include "probes/kprobe.h"
#include "probes/mechanism.h"
#include "probes/module.h"
#include "probes/probe.h"
#include "probes/symbol.h"

/* ---- handlers ---- */

static __always_inline void
fetch_all(const struct magnet_dynamic *dyn, const unsigned long *words, struct magnet_view *view)
{
	memset(view->payload, 0, dyn->fetch.size);
	magnet_fetch_run(&dyn->fetch, false, words, view->payload);
}

/* Not every event is wanted as it is. Rules that do not ask for fields come before these. */
static __always_inline void
hit_gated(struct magnet_dynamic *dyn, unsigned long plan, const unsigned long *words,
	  struct magnet_view *view, int guard)
{
	if (magnet_view_rejected(plan, view, true)) {
		magnet_probe_leave(guard);
		return;
	}
	fetch_all(dyn, words, view);
	if (magnet_view_rejected(plan, view, false))
		magnet_probe_leave(guard);
	else
		magnet_emit_gated(plan, view, dyn->fetch.size, NULL, guard);
}

/**
 * magnet_dynamic_hit() - a dynamic point was hit: fetch and log
 * @dyn: the point
 * @words: what its fields are fetched from
 *
 * Context: any, NMI included (a kprobe's breakpoint looks like one).
 */
void notrace magnet_dynamic_hit(struct magnet_dynamic *dyn, const unsigned long *words)
{
	union {
		struct magnet_view	view;
		u8			room[sizeof(struct magnet_view) + MAGNET_FETCH_SIZE_MAX];
	} u;
	unsigned long plan;
	int guard;

	if (!magnet_probe_enter(&dyn->point, &guard))
		return;
	u.view.id = 0;
	plan = READ_ONCE(dyn->point.plans.now);
	if (unlikely(!magnet_plan_is_plain(plan))) {
		hit_gated(dyn, plan, words, &u.view, guard);
		return;
	}
	fetch_all(dyn, words, &u.view);
	magnet_emit_plain(plan, u.view.id, u.view.payload, dyn->fetch.size);
	magnet_probe_leave(guard);
}

NOKPROBE_SYMBOL(magnet_dynamic_hit);

static int on_hit(struct kprobe *kp, struct pt_regs *regs)
{
	struct magnet_dynamic *dyn = container_of(kp, struct magnet_dynamic, probe.rp.kp);

	if (likely(magnet_rcu_watches()))
		magnet_dynamic_hit(dyn, (const unsigned long *)regs);
	else
		atomic64_inc(&dyn->probe.untold);
	return 0;
}

NOKPROBE_SYMBOL(on_hit);

/* What the entry of a call leaves for its return. */
struct call {
	u64			entered;
	struct magnet_view	view;
};

/* It logs nothing, so it needs no guard. */
static int on_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct call *call = (struct call *)ri->data;
	struct magnet_dynamic *dyn;

	if (!rp)
		return 1;
	dyn = container_of(rp, struct magnet_dynamic, probe.rp);
	memset(call->view.payload, 0, dyn->fetch.size);
	magnet_fetch_run(&dyn->fetch, false, (const unsigned long *)regs, call->view.payload);
	call->entered = magnet_kprobe_ticks();
	return 0;
}

NOKPROBE_SYMBOL(on_call);

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const u64 now = magnet_kprobe_ticks();
	struct kretprobe *rp = get_kretprobe(ri);
	struct call *call = (struct call *)ri->data;
	struct magnet_dynamic *dyn;
	unsigned long plan;
	int guard;

	if (!rp)
		return 0;
	dyn = container_of(rp, struct magnet_dynamic, probe.rp);
	if (unlikely(!magnet_rcu_watches())) {
		atomic64_inc(&dyn->probe.untold);
		return 0;
	}
	if (!magnet_probe_enter(&dyn->point, &guard))
		return 0;
	call->view.id = 0;
	plan = READ_ONCE(dyn->point.plans.now);
	if (!magnet_plan_is_plain(plan) &&
	    magnet_view_rejected(plan, &call->view, true)) {
		magnet_probe_leave(guard);
		return 0;
	}
	/* The call may have gone to a CPU whose clock is behind. */
	call->view.payload[0] = now > call->entered ? now - call->entered : 0;
	magnet_fetch_run(&dyn->fetch, true, (const unsigned long *)regs, call->view.payload);
	magnet_emit_view(plan, guard, &call->view, dyn->fetch.size);
	return 0;
}

NOKPROBE_SYMBOL(on_return);

static void notrace on_function(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct magnet_dynamic *dyn = container_of(ops, struct magnet_dynamic, fn.ops);
	const unsigned long arguments[MAGNET_FUNCTION_ARGUMENTS] = {
		(unsigned long)magnet_arg(fregs, 0), (unsigned long)magnet_arg(fregs, 1),
		(unsigned long)magnet_arg(fregs, 2), (unsigned long)magnet_arg(fregs, 3),
		(unsigned long)magnet_arg(fregs, 4), (unsigned long)magnet_arg(fregs, 5),
	};

	if (likely(magnet_rcu_watches()))
		magnet_dynamic_hit(dyn, arguments);
	else
		atomic64_inc(&dyn->fn.untold);
}

NOKPROBE_SYMBOL(on_function);

/*
 * A probe for tracepoints of any prototype. Arguments of a tracepoint are
 * integers and pointers, which the calling conventions of x86-64 and arm64 put
 * in registers: a function that is declared to take five words finds the first
 * five there. What the tracepoint does not have, and the upper bits of what is
 * smaller than a word, is whatever the registers held; nothing but these
 * registers is looked at. A kernel that checks the prototype at each indirect
 * call (CFI) does not let this pass: see make_tracepoint().
 */
static void notrace on_tracepoint(void *point, unsigned long a1, unsigned long a2,
				  unsigned long a3, unsigned long a4, unsigned long a5)
{
	const unsigned long arguments[MAGNET_TRACEPOINT_ARGUMENTS] = { a1, a2, a3, a4, a5 };

	magnet_dynamic_hit(magnet_dynamic_of(point), arguments);
}

NOKPROBE_SYMBOL(on_tracepoint);

/* ---- what a definition asks for ---- */

static int find_place(struct magnet_dynamic *dyn, struct netlink_ext_ack *extack)
{
	return magnet_place_parse(&dyn->place, dyn->target, extack) ?:
	       magnet_place_find(&dyn->place, extack);
}

/*
 * An address lets who sees it find out where the kernel is: it stands in the
 * definition, which not everybody sees, and nowhere else.
 */
static void hide_address(struct magnet_dynamic *dyn)
{
	const char *kind = skip_spaces(dyn->definition);
	const int len = strchrnul(kind, ':') - kind;
	const char *fields = kind + len;

	if (!dyn->place.address || *dyn->place.symbol)
		return;
	magnet_place_describe(&dyn->place, dyn->target, sizeof(dyn->target));
	fields += strcspn(fields, " \t\n");
	scnprintf(dyn->shown, sizeof(dyn->shown), "%.*s:%s%s", len, kind, dyn->target, fields);
	dyn->point.shown = dyn->shown;
}

static enum magnet_reads reads_of(const struct magnet_fetch *fetch)
{
	unsigned int i;

	for (i = 0; i < fetch->nr; i++)
		if (fetch->op[i].nr_derefs)
			return MAGNET_READS_MEMORY;
	return fetch->nr ? MAGNET_READS_REGISTERS : MAGNET_READS_NOTHING;
}

/* The same where only the entry of a function will do. */
static int find_entry(struct magnet_dynamic *dyn, struct netlink_ext_ack *extack)
{
	struct magnet_place *place = &dyn->place;
	int err = magnet_place_parse(place, dyn->target, extack);

	if (!err && !place->offset)
		err = magnet_place_find(place, extack);
	if (err || place->entry)
		return err;
	NL_SET_ERR_MSG(extack, "r: and f: are of whole functions: no offset; use p:");
	return -EINVAL;
}

static int make_kprobe(struct magnet_dynamic *dyn, char *fields, struct netlink_ext_ack *extack)
{
	int err = find_place(dyn, extack);

	if (err)
		return err;
	dyn->point.mechanism = MAGNET_MECHANISM_KPROBE;
	dyn->probe.on_hit = on_hit;
	return magnet_fetch_compile(&dyn->fetch, dyn->place.entry ? MAGNET_FETCH_ENTRY :
				    MAGNET_FETCH_INSIDE, fields, extack);
}

static int make_kretprobe(struct magnet_dynamic *dyn, char *fields,
			  struct netlink_ext_ack *extack)
{
	int err = find_entry(dyn, extack);

	if (err)
		return err;
	dyn->point.mechanism = MAGNET_MECHANISM_KRETPROBE;
	dyn->probe.on_call = on_call;
	dyn->probe.on_return = on_return;
	err = magnet_fetch_compile(&dyn->fetch, MAGNET_FETCH_RETURN, fields, extack);
	dyn->probe.data_size = sizeof(struct call) + dyn->fetch.size;
	return err;
}

static int make_ftrace(struct magnet_dynamic *dyn, char *fields, struct netlink_ext_ack *extack)
{
	int err = find_entry(dyn, extack);

	if (err)
		return err;
	if (!dyn->place.ftrace) {
		NL_SET_ERR_MSG(extack, "the function was built without a place for ftrace; use p:");
		return -EOPNOTSUPP;
	}
	dyn->fn = (struct magnet_fn){
		.family = "",
		.alternatives = { { dyn->target, on_function } },
		.addr = dyn->place.address,
		.movable = *dyn->place.symbol,
	};
	dyn->point.mechanism = MAGNET_MECHANISM_FTRACE;
	dyn->point.fns = &dyn->fn;
	dyn->point.nr_fns = 1;
	return magnet_fetch_compile(&dyn->fetch, MAGNET_FETCH_FUNCTION, fields, extack);
}

/* Of a tracepoint that the kernel itself does not have. */
static int name_module(struct magnet_dynamic *dyn, struct netlink_ext_ack *extack)
{
	const char *owner = NULL;

	if (!magnet_module_tracepoint(NULL, dyn->tp.name, &owner)) {
		NL_SET_ERR_MSG(extack, "neither the kernel nor a module that is loaded has a tracepoint of this name; tracefs lists it in available_events; MODULE:NAME waits for the module");
		return -ENOENT;
	}
	if (!owner)
		return -ENOMEM;
	strscpy(dyn->module, owner, sizeof(dyn->module));
	kfree(owner);
	return 0;
}

/* t:MODULE:NAME, where the module need not be loaded yet. */
static int find_tracepoint(struct magnet_dynamic *dyn, struct netlink_ext_ack *extack)
{
	char *colon = strchr(dyn->target, ':');
	int err;

	dyn->tp = (struct magnet_tp){ .name = dyn->target, .probe = on_tracepoint };
	dyn->point.tps = &dyn->tp;
	dyn->point.nr_tps = 1;
	if (!colon) {
		magnet_tracepoint_resolve(&dyn->point);
		if (dyn->tp.tp)
			return 0;
		err = name_module(dyn, extack);
		dyn->tp.module = dyn->module;
		return err;
	}
	dyn->tp.name = colon + 1;
	dyn->tp.module = dyn->module;
	if (colon == dyn->target || colon - dyn->target >= sizeof(dyn->module) || !colon[1]) {
		NL_SET_ERR_MSG(extack, "a module's tracepoint is t:MODULE:NAME");
		return -EINVAL;
	}
	memcpy(dyn->module, dyn->target, colon - dyn->target);
	if (!magnet_module_is_known(dyn->module) ||
	    magnet_module_tracepoint(dyn->module, dyn->tp.name, NULL))
		return 0;
	NL_SET_ERR_MSG(extack, "this module is loaded and has no tracepoint of this name; tracefs lists it in available_events");
	return -ENOENT;
}

static int make_tracepoint(struct magnet_dynamic *dyn, char *fields,
			   struct netlink_ext_ack *extack)
{
	int err;

	if (IS_ENABLED(CONFIG_CFI_CLANG) || IS_ENABLED(CONFIG_CFI)) {
		NL_SET_ERR_MSG(extack, "this kernel checks prototypes (CFI), so it has no tracepoints by name; use p: or f: of a function nearby");
		return -EOPNOTSUPP;
	}
	dyn->point.mechanism = MAGNET_MECHANISM_TRACEPOINT;
	err = find_tracepoint(dyn, extack);
	return err ?: magnet_fetch_compile(&dyn->fetch, MAGNET_FETCH_TRACEPOINT, fields, extack);
}

static int read_maxactive(struct magnet_dynamic *dyn, const char *digits,
			  struct netlink_ext_ack *extack)
{
	/* More calls than this at once are missed, and counted. */
	dyn->probe.maxactive = max(64U, 4 * num_possible_cpus());
	if (!*digits)
		return 0;
	if (!kstrtouint(digits, 10, &dyn->probe.maxactive) && dyn->probe.maxactive &&
	    dyn->probe.maxactive <= MAGNET_MAXACTIVE_MAX)
		return 0;
	NL_SET_ERR_MSG(extack, "rN: N calls at once are 1 to 4096; without N there are enough for most functions");
	return -EINVAL;
}

/* The text is taken apart in place. */
static int make(struct magnet_dynamic *dyn, char *text, struct netlink_ext_ack *extack)
{
	char *fields = strim(text);
	char *place = strsep(&fields, " \t\n");
	char *kind = strsep(&place, ":");
	int err;

	if (!place || (kind[0] && kind[1] && kind[0] != 'r'))
		goto unknown;
	strscpy(dyn->target, place, sizeof(dyn->target));
	switch (kind[0]) {
	case 'p':
		return make_kprobe(dyn, fields, extack);
	case 'r':
		err = read_maxactive(dyn, kind + 1, extack);
		return err ?: make_kretprobe(dyn, fields, extack);
	case 'f':
		return make_ftrace(dyn, fields, extack);
	case 't':
		return make_tracepoint(dyn, fields, extack);
	}
unknown:
	NL_SET_ERR_MSG(extack, "a definition is p:, r:, f: or t: and a place, and then fields, such as p:vfs_read len=$arg3:u32");
	return -EINVAL;
}

/* ---- names ---- */

/* p:vfs_read+0x10 is p_vfs_read_0x10. */
static void default_name(struct magnet_dynamic *dyn)
{
	char *at;

	dyn->name[0] = *skip_spaces(dyn->definition);
	dyn->name[1] = '_';
	strscpy(dyn->name + 2, dyn->target, sizeof(dyn->name) - 2);
	for (at = dyn->name; *at; at++)
		if (!isalnum(*at))
			*at = '_';
}

static int name_it(struct magnet_dynamic *dyn, const char *name, struct netlink_ext_ack *extack)
{
	if (!name) {
		default_name(dyn);
		return 0;
	}
	if (!magnet_is_name(name)) {
		NL_SET_ERR_MSG(extack, "a dynamic point's name is letters, digits and _, no digit first; choose another");
		return -EINVAL;
	}
	strscpy(dyn->name, name, sizeof(dyn->name));
	return 0;
}

/* ---- life ---- */

static bool dynamic = true;
module_param(dynamic, bool, 0444);
MODULE_PARM_DESC(dynamic, "may points be inserted: on (default), or off for nobody, root included");

/* Can nobody insert points? */
bool magnet_dynamic_disabled(void)
{
	return !dynamic;
}

/* Also those that nobody knows yet, or any more. */
static atomic_t nr_points;

static int refuse_another(struct netlink_ext_ack *extack)
{
	if (!dynamic) {
		NL_SET_ERR_MSG(extack, "the module was loaded with dynamic=off: no points can be inserted");
		return -EPERM;
	}
	if (atomic_inc_return(&nr_points) <= MAGNET_DYNAMIC_POINTS_MAX)
		return 0;
	atomic_dec(&nr_points);
	NL_SET_ERR_MSG(extack, "there are 4096 dynamic points; remove one first");
	return -ENOSPC;
}

static void free_point(struct magnet_dynamic *dyn)
{
	kfree(dyn);
	atomic_dec(&nr_points);
}

static int build(struct magnet_dynamic *dyn, const char *name, struct netlink_ext_ack *extack)
{
	char *text = kstrdup(dyn->definition, GFP_KERNEL);
	int err;

	if (!text)
		return -ENOMEM;
	err = make(dyn, text, extack);
	kfree(text);
	if (err)
		return err;
	hide_address(dyn);
	dyn->point.reads = reads_of(&dyn->fetch);
	return name_it(dyn, name, extack);
}

/**
 * magnet_dynamic_new() - a point from its definition
 * @name: its name, or NULL for one made from the definition
 * @definition: up to MAGNET_DEFINITION_SIZE - 1 characters
 * @extack: what was wrong
 *
 * Nobody knows the point yet: magnet_point_add().
 *
 * Context: may sleep, and may take tens of milliseconds to look symbols up.
 * Return: the point or an ERR_PTR.
 */
struct magnet_point *magnet_dynamic_new(const char *name, const char *definition,
					struct netlink_ext_ack *extack)
{
	struct magnet_dynamic *dyn;
	int err;

	err = refuse_another(extack);
	if (err)
		return ERR_PTR(err);
	dyn = kzalloc(sizeof(*dyn), GFP_KERNEL_ACCOUNT);
	if (!dyn) {
		atomic_dec(&nr_points);
		return ERR_PTR(-ENOMEM);
	}
	strscpy(dyn->definition, definition, sizeof(dyn->definition));
	dyn->point.name = dyn->name;
	dyn->point.subsystem = "dynamic";
	dyn->point.id_means = "none";
	dyn->point.definition = dyn->definition;
	dyn->point.shown = dyn->definition;
	dyn->point.target = dyn->target;
	dyn->point.kprobe = &dyn->probe;
	dyn->probe.place = &dyn->place;
	dyn->probe.found = true;
	err = build(dyn, name, extack);
	if (err) {
		free_point(dyn);
		return ERR_PTR(err);
	}
	dyn->point.fields = dyn->fetch.field;
	dyn->point.payload_size = dyn->fetch.size;
	return &dyn->point;
}

/**
 * magnet_dynamic_free() - the end of a point
 * @point: made by magnet_dynamic_new(); without subscriptions for a grace
 *	period, and unknown to the event database
 *
 * Context: may sleep.
 */
void magnet_dynamic_free(struct magnet_point *point)
{
	if (point->client)
		magnet_client_put(point->client);
	free_point(magnet_dynamic_of(point));
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests about points, and how messages describe them.
 */
#include "kernevesub/correlate.h"
#include "kernevesub/storm.h"
#include "monisub/eventdb.h"
#include "monisub/lockdown.h"
#include "monisub/monisub.h"
#include "monisub/point.h"
#include "netlink.h"
#include "owner.h"
#include "probes/dynamic.h"

const char *magnet_point_name_of(const struct genl_info *info)
{
	if (info->attrs[MAGNET_A_POINT])
		return nla_data(info->attrs[MAGNET_A_POINT]);
	NL_SET_ERR_MSG(info->extack, "the request does not name a point; it needs the attribute POINT");
	return NULL;
}

/**
 * magnet_point_of() - the point that a request names
 * @info: the request
 *
 * Context: magnet_mutex held.
 * Return: the point, or an ERR_PTR and the extack says why.
 */
struct magnet_point *magnet_point_of(const struct genl_info *info)
{
	const char *name = magnet_point_name_of(info);
	struct magnet_point *point;

	if (!name)
		return ERR_PTR(-EINVAL);
	point = magnet_point_find(name);
	if (point)
		return point;
	NL_SET_ERR_MSG(info->extack, "there is no point of this name; control/events lists them");
	return ERR_PTR(-ENOENT);
}

static int put_fn(struct sk_buff *skb, const struct magnet_point *p, unsigned int i)
{
	const struct magnet_fn *fn = p->fns ? &p->fns[i] : NULL;
	const enum magnet_fn_state state = magnet_fn_state(p, i);
	struct nlattr *nest = nla_nest_start(skb, MAGNET_A_FN);
	const char *taken = magnet_part_name(p, i);
	char tried[128] = "";
	unsigned int j;

	if (!nest)
		return -EMSGSIZE;
	if (fn) {
		taken = fn->alternatives[max(fn->taken, 0)].symbol;
		for (j = 0; j < MAGNET_ALTERNATIVES_MAX && fn->alternatives[j].symbol; j++) {
			if (j)
				strlcat(tried, ",", sizeof(tried));
			strlcat(tried, fn->alternatives[j].symbol, sizeof(tried));
		}
	} else {
		strscpy(tried, taken, sizeof(tried));
	}
	if (nla_put_string(skb, MAGNET_A_FN_FAMILY, fn ? fn->family : "") ||
	    nla_put_string(skb, MAGNET_A_FN_NAME,
			   state == MAGNET_FN_UNRESOLVED ? "" : taken) ||
	    nla_put_u32(skb, MAGNET_A_FN_STATE, state) ||
	    nla_put_string(skb, MAGNET_A_FN_TRIED, tried))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Kernel addresses are for those who may change things. */
static const char *definition_for(const struct sk_buff *request, const struct magnet_point *p)
{
	return p->shown != p->definition && magnet_may_change(request) ? p->definition : p->shown;
}

static int put_point(struct sk_buff *skb, const struct magnet_point *p,
		     const struct sk_buff *request)
{
	const char *definition = definition_for(request, p);
	unsigned int i;

	if (nla_put_string(skb, MAGNET_A_POINT, p->name) ||
	    nla_put_u16(skb, MAGNET_A_EVENT, p->event) ||
	    nla_put_string(skb, MAGNET_A_SUBSYSTEM, p->subsystem) ||
	    nla_put_u32(skb, MAGNET_A_MECHANISM, p->mechanism) ||
	    nla_put_u32(skb, MAGNET_A_SUB_COUNT, p->nr_subs) ||
	    nla_put_u32(skb, MAGNET_A_HOOK, magnet_point_hook(p)) ||
	    magnet_put_u64(skb, MAGNET_A_MISSED, magnet_point_missed(p)) ||
	    nla_put_u32(skb, MAGNET_A_ENABLED, !p->disabled) ||
	    (p->storm && nla_put_u32(skb, MAGNET_A_STORM_RATE, p->storm->rate)) ||
	    (p->storm && nla_put_u32(skb, MAGNET_A_STORM_BURST, p->storm->burst)) ||
	    (definition && nla_put_string(skb, MAGNET_A_DEFINITION, definition)) ||
	    (p->client && nla_put_u32(skb, MAGNET_A_OWNER, p->client->portid)))
		return -EMSGSIZE;
	for (i = 0; i < magnet_point_parts(p); i++)
		if (put_fn(skb, p, i))
			return -EMSGSIZE;
	return 0;
}

static int dump_point(struct sk_buff *skb, struct magnet_cursor *at)
{
	const struct magnet_point *point = magnet_point_nth(at->item);

	return point ? put_point(skb, point, at->request) : -ENOENT;
}

int magnet_point_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	magnet_cursor_of(cb)->request = cb->skb;
	return magnet_dump(skb, cb, MAGNET_CMD_POINT_GET, dump_point);
}

static int add_point(struct sk_buff *reply, const struct genl_info *info,
		     struct magnet_point *point)
{
	struct magnet_client *owner;
	int err;

	err = magnet_owner_of(info, magnet_flags_of(info), &owner);
	if (!err)
		err = magnet_point_add(point, info->extack);
	if (err)
		return err;
	if (owner)
		magnet_client_get(owner);
	point->client = owner;
	/* There is room: a point has one function, and its texts are limited. */
	return put_point(reply, point, magnet_request_of(info));
}

/* Looking symbols up takes tens of milliseconds, and nobody knows the point yet. */
int magnet_point_prepare(struct genl_info *info)
{
	const struct nlattr *definition = info->attrs[MAGNET_A_DEFINITION];
	const struct nlattr *name = info->attrs[MAGNET_A_POINT];
	struct magnet_point *point;
	int err;

	if (!definition) {
		NL_SET_ERR_MSG(info->extack, "the request has no definition of a point; it needs the attribute DEFINITION");
		return -EINVAL;
	}
	point = magnet_dynamic_new(name ? nla_data(name) : NULL, nla_data(definition),
				   info->extack);
	if (IS_ERR(point))
		return PTR_ERR(point);
	err = magnet_refuse_fetch(info, point) ?: magnet_lockdown_point(point, info->extack);
	if (err) {
		magnet_dynamic_free(point);
		return err;
	}
	info->user_ptr[0] = point;
	return 0;
}

/* The new point is described in @reply. */
int magnet_point_insert(struct sk_buff *reply, struct genl_info *info)
{
	struct magnet_point *point = info->user_ptr[0];
	int err;

	err = add_point(reply, info, point);
	if (err)
		magnet_dynamic_free(point);
	return err;
}

int magnet_point_remove(struct sk_buff *reply, struct genl_info *info)
{
	struct magnet_point *point = magnet_point_of(info);

	if (IS_ERR(point))
		return PTR_ERR(point);
	if (!point->definition) {
		NL_SET_ERR_MSG(info->extack, "only a point that was inserted can be removed; others can be disabled (POINT_SET)");
		return -EINVAL;
	}
	magnet_correlations_lose_point(point);
	magnet_end_subs(magnet_sub_of_point, point);
	magnet_point_del(point);
	magnet_dynamic_free(point);
	return 0;
}

/* The storm guard that a request asks for; what it does not name stays. */
static int set_guard(struct magnet_point *point, const struct genl_info *info)
{
	const u32 rate = magnet_u32_of(info, MAGNET_A_STORM_RATE,
				       point->storm ? point->storm->rate : 0);
	/* Without a word about it, what comes in a tenth of a second. */
	const u32 burst = magnet_u32_of(info, MAGNET_A_STORM_BURST,
					point->storm ? point->storm->burst :
					max(rate / 10, 1U));

	if (rate > MAGNET_STORM_RATE_MAX || burst > MAGNET_STORM_RATE_MAX || !burst) {
		NL_SET_ERR_MSG(info->extack, "a storm guard lets 1 to 1000000 events per second and CPU through, and as many at once");
		return -EINVAL;
	}
	if (!rate && !info->attrs[MAGNET_A_STORM_RATE]) {
		NL_SET_ERR_MSG(info->extack, "the point has no storm guard; a burst needs a rate, give both");
		return -EINVAL;
	}
	return magnet_point_guard(point, rate, burst);
}

/* The changed point is described in @reply. */
int magnet_point_set(struct sk_buff *reply, struct genl_info *info)
{
	struct magnet_point *point = magnet_point_of(info);
	bool was_enabled;
	int err = 0;

	if (IS_ERR(point))
		return PTR_ERR(point);
	was_enabled = !point->disabled;
	if (info->attrs[MAGNET_A_ENABLED])
		err = magnet_point_enable(point, nla_get_u32(info->attrs[MAGNET_A_ENABLED]),
					  info->extack);
	if (err)
		return err;
	if (info->attrs[MAGNET_A_STORM_RATE] || info->attrs[MAGNET_A_STORM_BURST])
		err = set_guard(point, info);
	if (err) {
		/* All or nothing, as far as the kernel lets us hook it again. */
		magnet_point_enable(point, was_enabled, NULL);
		return err;
	}
	return put_point(reply, point, magnet_request_of(info)) ? -EMSGSIZE : 0;
}

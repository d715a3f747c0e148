// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

#include <magnet.h>
#include "guest.h"
#include "request.h"

void request_begin(struct request *r, const struct magnet_ctl *ctl, uint8_t cmd)
{
	memset(r, 0, sizeof(*r));
	r->nl.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN;
	r->nl.nlmsg_type = ctl->family;
	r->nl.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	r->genl.cmd = cmd;
	r->genl.version = MAGNET_GENL_VERSION;
}

void request_put(struct request *r, uint16_t type, const void *data, size_t len)
{
	struct nlattr *attr = (void *)((char *)r + r->nl.nlmsg_len);

	NEED(r->nl.nlmsg_len + NLA_HDRLEN + NLA_ALIGN(len) <= sizeof(*r), "the request is full");
	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy((char *)attr + NLA_HDRLEN, data, len);
	r->nl.nlmsg_len += NLA_HDRLEN + NLA_ALIGN(len);
}

void request_put_u32(struct request *r, uint16_t type, uint32_t value)
{
	request_put(r, type, &value, sizeof(value));
}

void request_put_u64(struct request *r, uint16_t type, uint64_t value)
{
	request_put(r, type, &value, sizeof(value));
}

void request_put_text(struct request *r, uint16_t type, const char *text)
{
	request_put(r, type, text, strlen(text) + 1);
}

/* ---- answers ---- */

static void read_error(const struct nlmsghdr *nl, struct answer *answer)
{
	const struct nlmsgerr *e = NLMSG_DATA(nl);
	struct attrs text, attrs = { .at = e + 1 };

	answer->error = e->error;
	if (!(nl->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(nl->nlmsg_flags & NLM_F_CAPPED))
		attrs.at = (const char *)attrs.at + e->msg.nlmsg_len - sizeof(e->msg);
	attrs.len = (const char *)nl + nl->nlmsg_len - (const char *)attrs.at;
	if (attrs_find(attrs, NLMSGERR_ATTR_MSG, &text))
		snprintf(answer->text, sizeof(answer->text), "%.*s", (int)text.len,
			 (const char *)text.at);
}

/* Returns false at the end of the answer. */
static bool read_message(const struct nlmsghdr *nl, answer_fn fn, void *arg, struct answer *answer)
{
	const struct attrs attrs = {
		(const char *)NLMSG_DATA(nl) + GENL_HDRLEN,
		nl->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN,
	};

	if (nl->nlmsg_flags & NLM_F_DUMP_INTR)
		answer->interrupted = true;
	if (nl->nlmsg_type == NLMSG_ERROR) {
		read_error(nl, answer);
		return false;
	}
	if (nl->nlmsg_type == NLMSG_DONE) {
		answer->error = *(int *)NLMSG_DATA(nl);
		return false;
	}
	answer->messages++;
	if (fn)
		fn(attrs, arg);
	return true;
}

bool request_receive(struct magnet_ctl *ctl, answer_fn fn, void *arg, struct answer *answer)
{
	char data[65536] __attribute__((aligned(8)));
	ssize_t got = recv(ctl->fd, data, sizeof(data), 0);
	struct nlmsghdr *nl;
	bool more = true;

	NEED(got > 0, "recv: %s", strerror(errno));
	answer->datagrams++;
	for (nl = (void *)data; NLMSG_OK(nl, (unsigned int)got); nl = NLMSG_NEXT(nl, got))
		if (nl->nlmsg_seq == ctl->seq)
			more = read_message(nl, fn, arg, answer);
	return more;
}

void request_post(struct request *r, struct magnet_ctl *ctl)
{
	r->nl.nlmsg_seq = ++ctl->seq;
	NEED(send(ctl->fd, r, r->nl.nlmsg_len, 0) >= 0, "send: %s", strerror(errno));
}

struct answer request_send(struct request *r, struct magnet_ctl *ctl, answer_fn fn, void *arg)
{
	struct answer answer = {};

	request_post(r, ctl);
	while (request_receive(ctl, fn, arg, &answer))
		;
	return answer;
}

struct answer request_dump(struct magnet_ctl *ctl, uint8_t cmd, answer_fn fn, void *arg)
{
	struct request r;

	request_begin(&r, ctl, cmd);
	r.nl.nlmsg_flags |= NLM_F_DUMP;
	return request_send(&r, ctl, fn, arg);
}

struct info {
	uint16_t	type;
	uint32_t	value;
};

static void find_info(struct attrs attrs, void *arg)
{
	struct info *info = arg;

	info->value = attrs_u32(attrs, info->type);
}

uint32_t request_info_u32(struct magnet_ctl *ctl, uint16_t type)
{
	struct info info = { .type = type };
	struct answer answer;
	struct request r;

	request_begin(&r, ctl, MAGNET_CMD_INFO_GET);
	answer = request_send(&r, ctl, find_info, &info);
	NEED(!answer.error && answer.messages == 1, "info: %d", answer.error);
	return info.value;
}

/* ---- attributes ---- */

bool attrs_next(struct attrs *attrs, uint16_t *type, struct attrs *value)
{
	const struct nlattr *attr = attrs->at;
	size_t step;

	if (attrs->len < NLA_HDRLEN)
		return false;
	NEED(attr->nla_len >= NLA_HDRLEN && attr->nla_len <= attrs->len,
	     "an attribute of %u bytes where %zu are", attr->nla_len, attrs->len);
	*type = attr->nla_type & NLA_TYPE_MASK;
	value->at = (const char *)attr + NLA_HDRLEN;
	value->len = attr->nla_len - NLA_HDRLEN;
	step = NLA_ALIGN(attr->nla_len);
	if (step > attrs->len)
		step = attrs->len;
	attrs->at = (const char *)attrs->at + step;
	attrs->len -= step;
	return true;
}

bool attrs_find(struct attrs attrs, uint16_t type, struct attrs *value)
{
	uint16_t found;

	while (attrs_next(&attrs, &found, value))
		if (found == type)
			return true;
	return false;
}

bool attrs_has(struct attrs attrs, uint16_t type)
{
	struct attrs value;

	return attrs_find(attrs, type, &value);
}

static void need_value(struct attrs attrs, uint16_t type, void *value, size_t size)
{
	struct attrs found;

	NEED(attrs_find(attrs, type, &found), "attribute %u is missing", type);
	NEED(found.len == size, "attribute %u has %zu bytes", type, found.len);
	memcpy(value, found.at, size);
}

uint16_t attrs_u16(struct attrs attrs, uint16_t type)
{
	uint16_t value;

	need_value(attrs, type, &value, sizeof(value));
	return value;
}

uint32_t attrs_u32(struct attrs attrs, uint16_t type)
{
	uint32_t value;

	need_value(attrs, type, &value, sizeof(value));
	return value;
}

uint64_t attrs_u64(struct attrs attrs, uint16_t type)
{
	uint64_t value;

	need_value(attrs, type, &value, sizeof(value));
	return value;
}

const char *attrs_text(struct attrs attrs, uint16_t type)
{
	struct attrs value;

	NEED(attrs_find(attrs, type, &value), "attribute %u is missing", type);
	NEED(value.len && !((const char *)value.at)[value.len - 1], "attribute %u is no text",
	     type);
	return value.at;
}

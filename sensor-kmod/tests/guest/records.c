// SPDX-License-Identifier: GPL-2.0-only
#include "guest.h"
#include "records.h"

bool records_classic(void)
{
	static int classic = -1;

	if (classic < 0)
		classic = guest_file_has(MAGNET_CONTROL "/version", "layout classic");
	return classic;
}

size_t records_header_size(void)
{
	return records_classic() ? sizeof(struct magnet_record_classic) :
				   sizeof(struct magnet_record);
}

size_t records_event_size(void)
{
	return records_header_size() + sizeof(struct magnet_sock);
}

size_t records_event_in_ring(void)
{
	return records_in_ring(records_event_size(), 1);
}

size_t records_in_ring(size_t bytes, size_t records)
{
	return bytes + records * (sizeof(struct magnet_record) - records_header_size());
}

static struct record decode(const void *at)
{
	const struct magnet_record_classic *c = at;
	const struct magnet_record *w = at;

	if (records_classic())
		return (struct record) {
			.size = c->header >> MAGNET_CLASSIC_SIZE_SHIFT,
			.cpu = c->header & (MAGNET_CLASSIC_CPUS - 1),
			.event = c->header >> MAGNET_CLASSIC_EVENT_SHIFT &
				 ((1 << MAGNET_CLASSIC_EVENT_BITS) - 1),
			.tgid = c->pid, .id = c->abstract_id, .timer = c->timer, .payload = c + 1,
		};
	return (struct record) {
		.size = w->size, .cpu = w->cpu, .event = w->event, .tgid = w->tgid,
		.tid = w->tid, .id = w->abstract_id, .timer = w->timer, .payload = w + 1,
	};
}

bool records_next(const void **at, const void *end, struct record *rec)
{
	const size_t room = (const char *)end - (const char *)*at;

	if (!room)
		return false;
	if (room < records_header_size()) {
		FAIL("%zu bytes are no record", room);
		return false;
	}
	*rec = decode(*at);
	if (rec->size < records_header_size() || rec->size > room ||
	    rec->size % MAGNET_RECORD_ALIGN) {
		FAIL("a record of %u bytes where %zu are", rec->size, room);
		return false;
	}
	*at = (const char *)*at + rec->size;
	return true;
}

static void add_event(struct batch *b, const struct record *rec)
{
	const struct magnet_sock *sock = rec->payload;

	if (rec->event == MAGNET_EVENT_INET_SENDMSG) {
		if (!b->events)
			b->first_len = sock->len;
		b->last_len = sock->len;
	}
	b->events++;
}

void batch_add(struct batch *b, const void *data, size_t len)
{
	const void *end = (const char *)data + len;
	struct record rec;

	b->bytes += len;
	while (records_next(&data, end, &rec)) {
		EXPECT(rec.timer >= b->timer, "time went back from %llu to %llu",
		       (unsigned long long)b->timer, (unsigned long long)rec.timer);
		b->timer = rec.timer;
		if (rec.event == MAGNET_EVENT_CLOCK) {
			b->clocks++;
		} else if (rec.event == MAGNET_EVENT_LOST) {
			b->lost_records++;
			b->lost += ((const struct magnet_lost *)rec.payload)->count;
		} else {
			add_event(b, &rec);
		}
	}
}

// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../ktap.h"
#include "fixture.h"
#include "mark.h"

struct magnet_ring ring;
struct written written[LEVELS];
struct received received;
u64 wakes, lost_events, ring_shim_time;
bool ring_shim_stands;
void (*on_wake)(void);
bool magnet_classic;

u32 header_size(void)
{
	return magnet_header_size();
}

u32 lost_size(void)
{
	return magnet_header_size() + sizeof(struct magnet_lost);
}

/* ---- what ring.c calls; wake.c and loss.c have it in the module ---- */

void magnet_ring_wake(struct magnet_ring *r)
{
	if (READ_ONCE(r->armed))
		magnet_ring_mark_set(r);
	magnet_ring_wake_now(r);
}

void magnet_ring_wake_now(struct magnet_ring *r)
{
	(void)r;
	wakes++;
	if (on_wake)
		on_wake();
}

void magnet_ring_lost_event(struct magnet_ring *r)
{
	(void)r;
	__atomic_fetch_add(&lost_events, 1, __ATOMIC_RELAXED);
}

/* ---- memory: the same pages twice in a row ---- */

static bool map_at(void *at, unsigned long size, int fd)
{
	return mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == at;
}

static void *map_twice(unsigned long size)
{
	int fd = memfd_create("ring", MFD_CLOEXEC);
	char *at;

	if (fd < 0 || ftruncate(fd, size) < 0)
		return NULL;
	at = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || !map_at(at, size, fd) || !map_at(at + size, size, fd))
		at = NULL;
	close(fd);
	return at;
}

/* For each ring two memories, one twice as large, and one more of the same size. */
enum { FIRST, TWICE, OTHER, NR_MEMORIES };

static struct magnet_ring_memory memories[NR_MEMORIES];

static void make_memories(unsigned long size)
{
	int i;

	if (memories[FIRST].size == size)
		return;
	for (i = 0; i < NR_MEMORIES; i++) {
		if (memories[i].data)
			munmap(memories[i].data, 2 * memories[i].size);
		memories[i].size = i == TWICE ? 2 * size : size;
		memories[i].data = map_twice(memories[i].size);
		if (!memories[i].data) {
			perror("ring memory");
			exit(2);
		}
	}
}

/* What nobody may read. */
static void spoil(const struct magnet_ring_memory *memory)
{
	if (memory->size)
		memset(memory->data, 0x5a, memory->size);
}

int ring_exchange(void)
{
	struct magnet_ring_memory memory = memories[ring.mask + 1 == memories[FIRST].size];
	const unsigned long room = min(ring.mask + 1, memory.size), tail = ring.tail;
	unsigned long commit;
	int err;

	spoil(&memory);
	commit = magnet_ring_published(&ring);
	/* Of a flight recorder @tail may be old already. */
	if (commit - tail > room)
		commit = tail;
	if (commit != tail)
		memcpy((char *)memory.data + (tail & (memory.size - 1)),
		       magnet_ring_at(&ring, tail), commit - tail);
	err = magnet_ring_exchange(&ring, &memory, commit);
	if (!err)
		spoil(&memory);
	return err;
}

int ring_hand_over(struct magnet_ring *to)
{
	memset(to, 0, sizeof(*to));
	to->cpu = TEST_CPU;
	to->data = memories[OTHER].data;
	to->size = memories[OTHER].size;
	to->mask = to->size - 1;
	spoil(&memories[OTHER]);
	return magnet_ring_hand_over(&ring, to, 0);
}

void ring_setup(unsigned long size, unsigned long start)
{
	make_memories(size);
	memset(&ring, 0, sizeof(ring));
	ring.data = memories[FIRST].data;
	ring.size = size;
	ring.mask = size - 1;
	ring.cpu = TEST_CPU;
	ring.wake_bytes = -1UL;
	ring.head.v = start;
	ring.commit = start;
	ring.tail = start;
	ring.limit = start;
	ring.mark.pos = start;
	memset(written, 0, sizeof(written));
	memset(&received, 0, sizeof(received));
	wakes = 0;
	lost_events = 0;
	on_wake = NULL;
	ring_shim_stands = false;
}

/* ---- the writer ---- */

static u64 pattern(unsigned int level, u64 number, u32 word)
{
	return (number * 0x9e3779b97f4a7c15ULL) ^ ((u64)level << 56) ^ word;
}

static void fill(void *rec, unsigned int level, u32 size, u64 timer)
{
	const u64 number = written[level].attempted++;
	u64 *payload;
	u32 i;

	payload = magnet_header_write(rec, magnet_header_word(TEST_CPU, EVENT, size),
				      level | (u64)level << 32, number, timer);
	for (i = 0; i < (size - header_size()) / sizeof(u64); i++)
		payload[i] = pattern(level, number, i);
	written[level].committed++;
}

void *ring_write_begin(unsigned int level, u32 size)
{
	u64 timer;
	void *rec;

	rec = magnet_ring_reserve(&ring, size, &timer);
	if (rec) {
		fill(rec, level, size, timer);
	} else {
		written[level].attempted++;
		written[level].dropped++;
	}
	return rec;
}

bool ring_try_write(unsigned int level, u32 size)
{
	u64 timer;
	void *rec;

	rec = magnet_ring_try_reserve(&ring, size, &timer);
	if (!rec)
		return false;
	fill(rec, level, size, timer);
	ring_write_end();
	return true;
}

void ring_write_end(void)
{
	magnet_ring_commit(&ring);
}

bool ring_write(unsigned int level, u32 size)
{
	if (!ring_write_begin(level, size))
		return false;
	ring_write_end();
	return true;
}

/* ---- the reader ---- */

static void check_lost(const struct magnet_record *h, const struct magnet_lost *lost)
{
	EXPECT(h->size == lost_size(), "a LOST record has %u bytes", h->size);
	EXPECT(lost->count, "a LOST record tells of nothing");
	EXPECT(lost->first_timer <= lost->last_timer,
	       "LOST: the first of %llu was dropped at %llu, after the last at %llu",
	       lost->count, lost->first_timer, lost->last_timer);
	EXPECT(lost->last_timer <= h->timer,
	       "LOST: dropped at %llu, after the record's own time %llu",
	       lost->last_timer, h->timer);
	received.lost_records++;
	received.lost += lost->count;
}

static void check_event(const struct magnet_record *h, const u64 *payload)
{
	u32 i;

	EXPECT(h->event == EVENT && h->tgid < LEVELS, "corrupt: event %#x of level %u",
	       h->event, h->tgid);
	if (h->tgid >= LEVELS)
		return;
	EXPECT(h->abstract_id >= received.next[h->tgid], "level %u: event %llu came after event %llu",
	       h->tgid, h->abstract_id, received.next[h->tgid] - 1);
	received.gaps += received.next[h->tgid] && h->abstract_id != received.next[h->tgid];
	received.next[h->tgid] = h->abstract_id + 1;
	for (i = 0; i < (h->size - header_size()) / sizeof(u64); i++)
		if (payload[i] != pattern(h->tgid, h->abstract_id, i)) {
			FAIL("corrupt: word %u of event %llu of level %u", i, h->abstract_id,
			     h->tgid);
			break;
		}
	received.records++;
	received.bytes += h->size;
}

/* Returns the record's size; 0 when nothing after it can be read. */
static u32 check_record(const void *rec, unsigned long room)
{
	const struct magnet_record h = *(const struct magnet_record *)rec;
	const void *payload = (const char *)rec + header_size();

	if (h.size < header_size() || h.size > room || h.size % MAGNET_RECORD_ALIGN) {
		FAIL("corrupt: a record of %u bytes where %lu are published", h.size, room);
		return 0;
	}
	EXPECT(magnet_record_size_of(rec) == h.size, "magnet_record_size_of() says %u, not %u",
	       magnet_record_size_of(rec), h.size);
	EXPECT(h.cpu == TEST_CPU, "corrupt: CPU %u", h.cpu);
	EXPECT(h.timer >= received.timer, "time went back from %llu to %llu at event %#x",
	       received.timer, h.timer, h.event);
	received.timer = h.timer;
	if (h.event == MAGNET_EVENT_LOST)
		check_lost(&h, payload);
	else
		check_event(&h, payload);
	return h.size;
}

/* The loss after the last record. */
static bool read_tail_loss(void)
{
	u64 rec[(sizeof(struct magnet_record) + sizeof(struct magnet_lost)) / sizeof(u64)];
	u32 size = magnet_ring_lost_record(&ring, rec);

	if (!size)
		return false;
	received.told_by_reader++;
	check_record(rec, size);
	return true;
}

bool ring_read_one(void)
{
	const unsigned long tail = ring.tail, commit = magnet_ring_published(&ring);
	u32 size;

	if (commit == tail)
		return read_tail_loss();
	size = check_record(magnet_ring_at(&ring, tail), commit - tail);
	magnet_ring_consume(&ring, size ? tail + size : commit, received.timer);
	return true;
}

/* Records from @pos on, as far as @end; less than one may be left below @end. */
static unsigned long check_records(unsigned long pos, unsigned long end, unsigned long commit)
{
	while ((long)(end - pos) > 0) {
		const u32 size = check_record(magnet_ring_at(&ring, pos), commit - pos);

		EXPECT(!size || received.timer > received.marked,
		       "a record of %llu comes after the mark, which says %llu",
		       received.timer, received.marked);
		pos = size ? pos + size : commit;
	}
	return pos;
}

/* Return: how far the mark goes: what it says of the records is true. */
static unsigned long read_to_mark(unsigned long commit, u64 *timer)
{
	const unsigned long tail = ring.tail;
	struct magnet_ring_mark mark;
	unsigned long pos;

	if (!magnet_ring_mark_take(&ring, commit - tail, &mark))
		return tail;
	EXPECT(mark.pos - tail - 1 < commit - tail, "the mark is at %lu, not from %lu to %lu",
	       mark.pos, tail, commit);
	pos = check_records(tail, mark.pos, commit);
	EXPECT(pos == mark.pos, "the mark is at %lu, inside a record that ends at %lu",
	       mark.pos, pos);
	EXPECT_EQ(mark.records,
		  received.records + received.lost_records - received.told_by_reader);
	received.marks++;
	received.marked = mark.timer;
	*timer = mark.timer;
	return pos;
}

void ring_read(void)
{
	const unsigned long commit = magnet_ring_published(&ring);
	u64 timer = 0;
	const unsigned long marked = read_to_mark(commit, &timer);

	if (check_records(marked, commit, commit) != marked)
		timer = received.timer;
	if (commit != ring.tail)
		magnet_ring_consume(&ring, commit, timer);
	read_tail_loss();
}

/* ---- the sums ---- */

#define TOTAL(what)						\
	({							\
		u64 total_ = 0;					\
								\
		for (unsigned int i_ = 0; i_ < LEVELS; i_++)	\
			total_ += written[i_].what;		\
		total_;						\
	})

u64 total_attempted(void)
{
	return TOTAL(attempted);
}

u64 total_committed(void)
{
	return TOTAL(committed);
}

u64 total_dropped(void)
{
	return TOTAL(dropped);
}

void ring_check_equation(void)
{
	EXPECT_EQ(local_read(&ring.nest), 0);
	EXPECT(ring.commit == (unsigned long)ring.head.v, "%lu bytes are not published",
	       (unsigned long)ring.head.v - ring.commit);
	EXPECT(ring.tail == ring.commit, "%lu bytes are not read", ring.commit - ring.tail);
	EXPECT_EQ(ring.commit_records, ring.records.v);
	EXPECT_EQ(received.records, total_committed());
	EXPECT_EQ(received.lost, total_dropped());
	EXPECT_EQ(total_attempted(), total_committed() + total_dropped());
	EXPECT_EQ(lost_events, total_dropped());
	EXPECT_EQ(ring.lost_pending.counter, 0);
	EXPECT_EQ(ring.lost_reported.counter, total_dropped());
	EXPECT_EQ(ring.records.v, received.records + received.lost_records -
		  received.told_by_reader);
}

static void check_at_rest(void)
{
	EXPECT_EQ(local_read(&ring.nest), 0);
	EXPECT(!ring.closed, "it is closed");
	EXPECT(ring.tail == (unsigned long)ring.head.v, "%lu bytes are not read",
	       (unsigned long)ring.head.v - ring.tail);
	EXPECT_EQ(ring.commit_records, ring.records.v);
	EXPECT_EQ(ring.lost_pending.counter, 0);
	EXPECT_EQ(ring.lost_reported.counter, total_dropped());
	EXPECT_EQ(lost_events, total_dropped());
	EXPECT_EQ(total_attempted(), total_committed() + total_dropped());
}

void ring_check_recorder(const struct magnet_ring *taken)
{
	unsigned int level;

	check_at_rest();
	EXPECT_EQ(ring.records.v, ring.overwritten.v + received.records + received.lost_records -
		  received.told_by_reader);
	if (taken)
		EXPECT_EQ(taken->records.v, taken->commit_records);
	if (total_dropped())
		return;
	/* Nothing is missing between what was overwritten and the newest. */
	EXPECT_EQ(received.gaps, 0);
	for (level = 0; level < LEVELS; level++)
		EXPECT(!received.next[level] || received.next[level] == written[level].attempted,
		       "level %u: the newest is %llu of %llu", level, received.next[level],
		       written[level].attempted);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * All tasks and processes of one moment as text; docs/gtrace.md has the format.
 *
 * What goes into the lines is noted under the tree's lock, and written afterwards: writing takes
 * much longer.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "event_fifo.h"
#include "process_tree.h"
#include "report.h"

/* More than the longest line, and more than the first one, take. */
#define LINE_SIZE	256

/* A task (@pid is 0) or a process. */
struct note {
	u64			number;	/* its id, or when it was made */
	u64			cgroup;
	u32			pid;
	u32			parent;
	u32			count;	/* of processes, or depth */
	kuid_t			owner;
	enum gtrace_state	state;
	char			name[GTRACE_NAME_SIZE];
};

struct notes {
	struct gtrace_counts	counts;
	size_t			nr, max;
	struct note		*note;
};

/* ---- noting ---- */

static size_t lines(void)
{
	struct gtrace_task *task;
	size_t n = 0;

	list_for_each_entry(task, &gtrace_tasks, list)
		n += 1 + task->processes;
	return n;
}

static void note_task(struct note *note, const struct gtrace_task *task)
{
	note->number = task->id;
	note->cgroup = task->cgroup;
	note->count = task->processes;
	note->owner = task->owner;
	note->state = task->state;
	memcpy(note->name, task->name, sizeof(note->name));
}

static void note_process(struct note *note, struct gtrace_process *process)
{
	process->depth = process->parent ? process->parent->depth + 1 : 0;
	note->number = process->start_ns;
	note->pid = process->nr;
	note->parent = gtrace_parent_nr(process);
	note->count = process->depth;
	memcpy(note->name, process->progname, sizeof(note->name));
}

static void note_all(struct notes *notes)
{
	struct gtrace_process *process;
	struct gtrace_task *task;

	notes->counts = gtrace_counts;
	list_for_each_entry(task, &gtrace_tasks, list) {
		note_task(&notes->note[notes->nr++], task);
		for (process = gtrace_top(task); process; process = gtrace_below(process))
			note_process(&notes->note[notes->nr++], process);
	}
}

/* True when there was room for all. */
static bool noted(struct notes *notes)
{
	size_t wanted;

	spin_lock(&gtrace_lock);
	wanted = lines();
	if (wanted <= notes->max)
		note_all(notes);
	spin_unlock(&gtrace_lock);
	if (wanted <= notes->max)
		return true;
	/* It grows while memory is looked for. */
	notes->max = wanted + wanted / 4 + 16;
	return false;
}

static int take_notes(struct notes *notes)
{
	while (!noted(notes)) {
		kvfree(notes->note);
		notes->note = kvcalloc(notes->max, sizeof(*notes->note), GFP_KERNEL);
		if (!notes->note)
			return -ENOMEM;
	}
	return 0;
}

/* ---- writing ---- */

/* As in /proc/PID/stat. */
static u64 in_ticks(u64 ns)
{
	return div_u64(ns, NSEC_PER_SEC / USER_HZ);
}

static int write_counts(char *to, const struct gtrace_counts *c)
{
	return scnprintf(to, LINE_SIZE,
			 "gtrace created %llu forks %llu exits %llu forgotten %llu late %llu no_memory %llu lost %llu\n",
			 c->created, c->forks, c->exits, c->forgotten, c->late, c->no_memory,
			 gtrace_fifo_lost());
}

static int write_note(char *to, const struct note *note)
{
	if (note->pid)
		return scnprintf(to, LINE_SIZE,
				 "process %u parent %u depth %u start %llu progname %s\n",
				 note->pid, note->parent, note->count, in_ticks(note->number),
				 note->name);
	return scnprintf(to, LINE_SIZE,
			 "task %s id %llu state %s owner %u processes %u cgroup %llu\n",
			 note->name, note->number, gtrace_state_name(note->state),
			 from_kuid(&init_user_ns, note->owner), note->count, note->cgroup);
}

static char *write_all(const struct notes *notes, size_t *size)
{
	char *text = kvmalloc_array(notes->nr + 1, LINE_SIZE, GFP_KERNEL);
	size_t i;

	if (!text)
		return ERR_PTR(-ENOMEM);
	*size = write_counts(text, &notes->counts);
	for (i = 0; i < notes->nr; i++)
		*size += write_note(text + *size, &notes->note[i]);
	return text;
}

/**
 * gtrace_report() - the whole hierarchy as text
 * @size: bytes of it
 *
 * Context: may sleep.
 * Return: the text, for kvfree(), or an ERR_PTR: -ENOMEM.
 */
char *gtrace_report(size_t *size)
{
	struct notes notes = {};
	char *text;
	int err;

	err = take_notes(&notes);
	text = err ? ERR_PTR(err) : write_all(&notes, size);
	kvfree(notes.note);
	return text;
}

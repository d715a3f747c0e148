// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose events are these: where processes are, by themselves, by others, and
 * before anybody looked; and rules that ask for it. The kernel's own account is
 * in /proc/PID/cgroup and in the inodes below the hierarchy.
 *
 * All this is about the hierarchy that the module watches: the unified one, or
 * one of version 1.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "guest.h"
#include "recording.h"
#include "request.h"
#include "sensor.h"

#define ROOT	"/tmp/magnet-owners"
#define OUTER	ROOT "/outer"
#define INNER	OUTER "/inner"
#define OTHER	ROOT "/other"

/* Of a hierarchy that the module does not watch. */
#define STRANGE	"/tmp/magnet-strange"
#define STRANGE_CGROUP	STRANGE "/strange"

/* What no unified hierarchy ever has, and each kernel of the tests. */
#define STRANGE_CONTROLLER	"cpuacct"

#define UNIFIED	"unified"

/* ---- hierarchies ---- */

static const char *watched(void)
{
	static char text[64];
	FILE *f;

	if (*text)
		return text;
	f = fopen("/sys/module/magnet/parameters/job_hierarchy", "r");
	NEED(f && fgets(text, sizeof(text), f), "job_hierarchy: %s", strerror(errno));
	fclose(f);
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* A root that is unmounted goes a little later, and until then its controllers are in use. */
static void mount_at(const char *folder, const char *hierarchy)
{
	const bool unified = !strcmp(hierarchy, UNIFIED);

	NEED(!mkdir(folder, 0755) || errno == EEXIST, "%s: %s", folder, strerror(errno));
	while (mount("none", folder, unified ? "cgroup2" : "cgroup", 0,
		     unified ? NULL : hierarchy)) {
		NEED(errno == EBUSY, "%s: %s", hierarchy, strerror(errno));
		usleep(1000);
	}
}

static void unmount(const char *folder)
{
	NEED(!umount(folder), "%s: %s", folder, strerror(errno));
}

/* ---- cgroups ---- */

static void make_cgroup(const char *folder)
{
	NEED(!mkdir(folder, 0755) || errno == EEXIST, "%s: %s", folder, strerror(errno));
}

static void mount_hierarchy(void)
{
	if (access(ROOT "/cgroup.procs", F_OK))
		mount_at(ROOT, watched());
}

static void make_cgroups(void)
{
	mount_hierarchy();
	make_cgroup(OUTER);
	make_cgroup(INNER);
	make_cgroup(OTHER);
}

static uint64_t id_of(const char *folder)
{
	struct stat st;

	NEED(!stat(folder, &st), "%s: %s", folder, strerror(errno));
	return st.st_ino;
}

static void move(pid_t pid, const char *folder)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	snprintf(text, sizeof(text), "%d", (int)pid);
	NEED(guest_write_file(path, text), "%s: %s", path, strerror(errno));
}

/* Where the kernel says that a process is; "" when it is no more. */
static void path_of(pid_t pid, char *to, size_t size)
{
	char name[64], line[256], mark[80] = "0::";
	const char *found;
	FILE *f;

	if (strcmp(watched(), UNIFIED))
		snprintf(mark, sizeof(mark), ":%s:", watched());

	snprintf(name, sizeof(name), "/proc/%d/cgroup", (int)pid);
	f = fopen(name, "r");
	to[0] = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		found = strstr(line, mark);
		if (!found)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(to, size, "%s", found + strlen(mark));
	}
	if (f)
		fclose(f);
}

static uint64_t id_by_path(const char *path)
{
	char folder[512];

	snprintf(folder, sizeof(folder), ROOT "%s", path);
	return id_of(folder);
}

/* ---- records ---- */

struct wanted {
	pid_t	pid;
	int	how;
};

static bool is_wanted(const struct record *rec, const void *arg)
{
	const struct magnet_task_attach *attach = rec->payload;
	const struct wanted *want = arg;

	return rec->event == MAGNET_EVENT_TASK_ATTACH && rec->id == (uint64_t)want->pid &&
	       attach->how == (uint32_t)want->how;
}

static unsigned int attached(pid_t pid, int how)
{
	const struct wanted want = { pid, how };

	return recording_count(is_wanted, &want);
}

static uint64_t attached_to(pid_t pid, int how)
{
	const struct wanted want = { pid, how };
	const struct record *rec = recording_find(NULL, is_wanted, &want);

	NEED(rec, "process %d, how %d: no record", (int)pid, how);
	return ((const struct magnet_task_attach *)rec->payload)->cgroup;
}

/* ---- what is there already ---- */

static int is_number(const struct dirent *entry)
{
	return entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
}

/* Processes of the kernel come and go; this test's own family does not. */
static void all_that_are_there_are_told(void)
{
	char path[256];
	struct dirent **entries;
	unsigned int told = 0;
	int n, i;
	pid_t child;

	make_cgroups();
	child = fork();
	NEED(child >= 0, "fork: %s", strerror(errno));
	if (!child) {
		pause();
		_exit(0);
	}
	move(child, INNER);
	n = scandir("/proc", &entries, is_number, NULL);
	NEED(n > 0, "/proc: %s", strerror(errno));
	RECORD("task_attach");
	recording_stop();
	for (i = 0; i < n; i++) {
		const pid_t pid = atoi(entries[i]->d_name);

		path_of(pid, path, sizeof(path));
		if (!*path)
			continue;
		EXPECT_EQ(attached(pid, MAGNET_ATTACH_PRESENT), 1);
		EXPECT(attached_to(pid, MAGNET_ATTACH_PRESENT) == id_by_path(path),
		       "process %d is in %s", (int)pid, path);
		told++;
	}
	EXPECT(told > 20, "only %u processes", told);
	EXPECT_EQ(attached_to(child, MAGNET_ATTACH_PRESENT), id_of(INNER));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* A second reader does not start blind because there is a first. */
static void each_subscription_is_told(void)
{
	static struct sensor s;
	unsigned int i;

	sensor_make(&s, 1 << 20);
	for (i = 0; i < 3; i++) {
		struct magnet_ctl_counters c;
		uint32_t first, second;

		NEED(!ctl_sub_new(&s.ctl, "task_attach", s.buffer, 0, &first), "%s", s.ctl.error);
		NEED(!ctl_sub_new(&s.ctl, "task_attach", s.buffer, 0, &second), "%s", s.ctl.error);
		NEED(!ctl_sub_del(&s.ctl, second, &c), "%s", s.ctl.error);
		EXPECT(c.committed > 20, "the second was told %llu",
		       (unsigned long long)c.committed);
		NEED(!ctl_sub_del(&s.ctl, first, &c), "%s", s.ctl.error);
		EXPECT(c.committed > 20, "the first was told %llu",
		       (unsigned long long)c.committed);
	}
}

/* What a ring has no room for is counted, and whoever does not read waits for it only so long. */
static void what_has_no_room_is_counted(void)
{
	static struct sensor s;
	struct magnet_ctl_counters c;
	uint32_t sub;

	sensor_make(&s, 1 << 12);
	NEED(!ctl_sub_new(&s.ctl, "task_attach", s.buffer, 0, &sub), "%s", s.ctl.error);
	NEED(!ctl_sub_del(&s.ctl, sub, &c), "%s", s.ctl.error);
	EXPECT_EQ(c.hits, c.committed + c.dropped_full);
	EXPECT(c.committed, "nothing was told");
}

/* ---- processes that come ---- */

#define CHILDREN	1009

static void each_child_is_told(void)
{
	static pid_t pids[CHILDREN];
	unsigned int i;
	int status;

	make_cgroups();
	move(getpid(), OUTER);
	RECORD("task_attach");
	for (i = 0; i < CHILDREN; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(0);
		NEED(pids[i] > 0 && waitpid(pids[i], &status, 0) == pids[i], "fork: %s",
		     strerror(errno));
	}
	recording_stop();
	for (i = 0; i < CHILDREN; i++) {
		EXPECT_EQ(attached(pids[i], MAGNET_ATTACH_FORK), 1);
		EXPECT_EQ(attached_to(pids[i], MAGNET_ATTACH_FORK), id_of(OUTER));
	}
	move(getpid(), ROOT);
}

static void *nothing(void *unused)
{
	return unused;
}

/* Threads belong to their process. */
static void threads_are_not_told(void)
{
	pthread_t thread;
	unsigned int i;

	make_cgroups();
	RECORD("task_attach");
	for (i = 0; i < 100; i++) {
		NEED(!pthread_create(&thread, NULL, nothing, NULL), "no thread");
		pthread_join(thread, NULL);
	}
	recording_stop();
	EXPECT_EQ(attached(getpid(), MAGNET_ATTACH_FORK), 0);
	EXPECT_EQ(attached(getpid(), MAGNET_ATTACH_PRESENT), 1);
}

/* It is elsewhere before its first instruction. */
static void a_child_is_made_elsewhere(void)
{
	struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD };
	int status;
	pid_t child;

	make_cgroups();
	args.cgroup = open(INNER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	RECORD("task_attach");
	child = syscall(SYS_clone3, &args, sizeof(args));
	if (!child)
		_exit(0);
	NEED(child > 0 && waitpid(child, &status, 0) == child, "clone3: %s", strerror(errno));
	recording_stop();
	EXPECT_EQ(attached(child, MAGNET_ATTACH_FORK), 1);
	EXPECT_EQ(attached_to(child, MAGNET_ATTACH_FORK), id_of(INNER));
	EXPECT_EQ(attached(child, MAGNET_ATTACH_MOVE), 0);
}

static void a_new_program_is_told(void)
{
	int status;
	pid_t child;

	make_cgroups();
	RECORD("task_attach");
	child = fork();
	if (!child) {
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	NEED(child > 0 && waitpid(child, &status, 0) == child && !status, "status %#x", status);
	recording_stop();
	EXPECT_EQ(attached(child, MAGNET_ATTACH_EXEC), 1);
	EXPECT_EQ(attached_to(child, MAGNET_ATTACH_EXEC), id_of(ROOT));
}

/* ---- processes that move ---- */

#define MOVES	211

static void each_move_is_told(void)
{
	const struct wanted want = { getpid(), MAGNET_ATTACH_MOVE };
	const struct record *rec = NULL;
	unsigned int i;

	make_cgroups();
	RECORD("task_attach");
	for (i = 0; i < MOVES; i++)
		move(getpid(), i % 2 ? INNER : OTHER);
	move(getpid(), ROOT);
	recording_stop();
	EXPECT_EQ(recording_count(is_wanted, &want), MOVES + 1);
	for (i = 0; i < MOVES; i++) {
		rec = recording_find(rec ? rec + 1 : NULL, is_wanted, &want);
		NEED(rec, "move %u is missing", i);
		EXPECT_EQ(((const struct magnet_task_attach *)rec->payload)->cgroup,
			  id_of(i % 2 ? INNER : OTHER));
	}
}

struct mover {
	pid_t	whom;
	bool	end;
};

static void *move_on(void *arg)
{
	struct mover *mover = arg;
	unsigned int i;

	for (i = 0; !__atomic_load_n(&mover->end, __ATOMIC_ACQUIRE); i++)
		move(mover->whom, i % 2 ? INNER : OTHER);
	return NULL;
}

static void *fork_on(void *arg)
{
	struct mover *mover = arg;
	int status;
	pid_t child;

	while (!__atomic_load_n(&mover->end, __ATOMIC_ACQUIRE)) {
		child = fork();
		if (!child)
			_exit(0);
		NEED(child > 0 && waitpid(child, &status, 0) == child, "fork: %s",
		     strerror(errno));
	}
	return NULL;
}

static bool is_about(const struct record *rec, const void *pid)
{
	return rec->event == MAGNET_EVENT_TASK_ATTACH && rec->id == *(const uint64_t *)pid;
}

#define ROUNDS	50

/* Who tells where it is, and who moves it, at the same time: the last word is true. */
static void the_last_word_is_true(void)
{
	const struct record *rec, *last = NULL;
	struct mover mover = {};
	pthread_t thread;
	char path[256];
	uint64_t pid;
	unsigned int i;

	make_cgroups();
	mover.whom = fork();
	if (!mover.whom) {
		pause();
		_exit(0);
	}
	pid = mover.whom;
	NEED(!pthread_create(&thread, NULL, move_on, &mover), "no thread");
	recording_make();
	RECORD("task_attach", "task_attach", "task_attach", "task_attach", "task_attach",
	       "task_attach", "task_attach", "task_attach");
	for (i = 0; i < ROUNDS; i++)
		usleep(100);
	__atomic_store_n(&mover.end, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	recording_stop();
	for (rec = recording_find(NULL, is_about, &pid); rec;
	     rec = recording_find(rec + 1, is_about, &pid))
		last = rec;
	NEED(last, "nothing is known of it");
	path_of(mover.whom, path, sizeof(path));
	EXPECT(((const struct magnet_task_attach *)last->payload)->cgroup == id_by_path(path),
	       "it is in %s", path);
	kill(mover.whom, SIGKILL);
	waitpid(mover.whom, NULL, 0);
}

/* ---- cgroups that come and go ---- */

static bool is_cgroup(const struct record *rec, const void *id)
{
	return rec->event == MAGNET_EVENT_CGROUP_MKDIR && rec->id == *(const uint64_t *)id;
}

static const struct magnet_cgroup *made(uint64_t id)
{
	const struct record *rec = recording_find(NULL, is_cgroup, &id);

	NEED(rec, "cgroup %llu: no record", (unsigned long long)id);
	EXPECT_EQ(recording_count(is_cgroup, &id), 1);
	return rec->payload;
}

static void cgroups_that_are_there_are_told(void)
{
	const struct magnet_cgroup *outer, *inner;

	make_cgroups();
	RECORD("cgroup_mkdir");
	recording_stop();
	EXPECT(!strcmp(made(id_of(ROOT))->path, "/"), "the root is %s", made(id_of(ROOT))->path);
	EXPECT_EQ(made(id_of(ROOT))->level, 0);
	EXPECT_EQ(made(id_of(ROOT))->parent, 0);
	outer = made(id_of(OUTER));
	inner = made(id_of(INNER));
	EXPECT(!strcmp(inner->path, "/outer/inner"), "%s", inner->path);
	EXPECT_EQ(inner->path_len, strlen("/outer/inner"));
	EXPECT_EQ(inner->level, 2);
	EXPECT_EQ(inner->parent, id_of(OUTER));
	EXPECT(outer < inner, "a parent comes later");
}

#define CGROUPS	211

static bool is_rmdir(const struct record *rec, const void *id)
{
	return rec->event == MAGNET_EVENT_CGROUP_RMDIR && rec->id == *(const uint64_t *)id;
}

static void each_cgroup_is_told(void)
{
	static uint64_t ids[CGROUPS];
	char folder[128], path[64];
	unsigned int i;

	mount_hierarchy();
	RECORD("cgroup_mkdir", "cgroup_rmdir");
	for (i = 0; i < CGROUPS; i++) {
		snprintf(folder, sizeof(folder), ROOT "/job_%u", i);
		make_cgroup(folder);
		ids[i] = id_of(folder);
		NEED(!rmdir(folder), "%s: %s", folder, strerror(errno));
	}
	recording_stop();
	for (i = 0; i < CGROUPS; i++) {
		snprintf(path, sizeof(path), "/job_%u", i);
		EXPECT(!strcmp(made(ids[i])->path, path), "%s: %s", path, made(ids[i])->path);
		EXPECT_EQ(recording_count(is_rmdir, &ids[i]), 1);
	}
}

static void a_long_path_is_cut(void)
{
	char folder[512] = ROOT, path[512];
	uint64_t id;
	unsigned int i;
	const struct magnet_cgroup *cgroup;

	mount_hierarchy();
	for (i = 0; i < 3; i++) {
		snprintf(folder + strlen(folder), sizeof(folder) - strlen(folder), "/%0110u", i);
		make_cgroup(folder);
	}
	id = id_of(folder);
	snprintf(path, sizeof(path), "%s", folder + strlen(ROOT));
	RECORD("cgroup_mkdir");
	recording_stop();
	cgroup = made(id);
	EXPECT_EQ(cgroup->path_len, strlen(path));
	EXPECT_EQ(strlen(cgroup->path), MAGNET_CGROUP_PATH_SIZE - 1);
	EXPECT(!strncmp(cgroup->path, path, MAGNET_CGROUP_PATH_SIZE - 1), "%s", cgroup->path);
	for (; i; i--) {
		rmdir(folder);
		*strrchr(folder, '/') = '\0';
	}
}

/* ---- other hierarchies ---- */

static bool is_of_path(const struct record *rec, const void *part)
{
	const struct magnet_cgroup *cgroup = rec->payload;

	return (rec->event == MAGNET_EVENT_CGROUP_MKDIR ||
		rec->event == MAGNET_EVENT_CGROUP_RMDIR) &&
	       strstr(cgroup->path, part);
}

/* Their cgroups have the same ids. */
static void other_hierarchies_are_not_told(void)
{
	unsigned int i;

	make_cgroups();
	move(getpid(), OUTER);
	mount_at(STRANGE, strcmp(watched(), UNIFIED) ? UNIFIED : STRANGE_CONTROLLER);
	RECORD("cgroup_mkdir", "cgroup_rmdir", "task_attach");
	make_cgroup(STRANGE_CGROUP);
	for (i = 0; i < MOVES; i++)
		move(getpid(), i % 2 ? STRANGE : STRANGE_CGROUP);
	move(getpid(), STRANGE);
	NEED(!rmdir(STRANGE_CGROUP), "rmdir: %s", strerror(errno));
	unmount(STRANGE);
	recording_stop();
	EXPECT_EQ(attached(getpid(), MAGNET_ATTACH_MOVE), 0);
	EXPECT_EQ(attached_to(getpid(), MAGNET_ATTACH_PRESENT), id_of(OUTER));
	EXPECT_EQ(recording_count(is_of_path, "strange"), 0);
	move(getpid(), ROOT);
}

/* ---- version 1 ---- */

static void *move_oneself(void *unused)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)guest_tid());
	NEED(guest_write_file(OTHER "/tasks", text), "tasks: %s", strerror(errno));
	return unused;
}

/* A process is where its first thread is. */
static void a_thread_moves_alone(void)
{
	pthread_t thread;

	make_cgroups();
	RECORD("task_attach");
	NEED(!pthread_create(&thread, NULL, move_oneself, NULL), "no thread");
	pthread_join(thread, NULL);
	EXPECT_EQ(attached(getpid(), MAGNET_ATTACH_MOVE), 0);
	move_oneself(NULL);
	recording_stop();
	EXPECT_EQ(attached(getpid(), MAGNET_ATTACH_MOVE), 1);
	EXPECT_EQ(attached_to(getpid(), MAGNET_ATTACH_MOVE), id_of(OTHER));
	move(getpid(), ROOT);
}

#define MOUNTS	23

/* @cgroup: of this one only; NULL: of any */
static bool is_attach(const struct record *rec, const void *cgroup)
{
	const struct magnet_task_attach *attach = rec->payload;

	return rec->event == MAGNET_EVENT_TASK_ATTACH &&
	       (!cgroup || attach->cgroup == *(const uint64_t *)cgroup);
}

/* Where no hierarchy of version 1 has the controller, all are in its root. */
static void a_root_comes_and_goes(void)
{
	const uint64_t root = 1;
	struct mover mover = {};
	pthread_t thread;
	unsigned int i;
	int status;
	pid_t child;

	make_cgroups();
	EXPECT_EQ(id_of(ROOT), root);
	NEED(!rmdir(INNER) && !rmdir(OUTER) && !rmdir(OTHER), "rmdir: %s", strerror(errno));
	unmount(ROOT);
	RECORD("task_attach", "cgroup_mkdir");
	NEED(!pthread_create(&thread, NULL, fork_on, &mover), "no thread");
	for (i = 0; i < MOUNTS; i++) {
		mount_at(ROOT, watched());
		child = fork();
		if (!child)
			_exit(0);
		NEED(child > 0 && waitpid(child, &status, 0) == child, "fork: %s",
		     strerror(errno));
		unmount(ROOT);
	}
	__atomic_store_n(&mover.end, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	recording_stop();
	EXPECT(recording_count(is_attach, NULL) > MOUNTS, "%u records",
	       recording_count(is_attach, NULL));
	EXPECT_EQ(recording_count(is_attach, &root), recording_count(is_attach, NULL));
	EXPECT_EQ(recording_events(MAGNET_EVENT_CGROUP_MKDIR), 1);
}

/* ---- rules ---- */

/* Events of a process that is in @folder. */
static void rename_in(const char *folder, unsigned int times)
{
	const pid_t child = fork();
	int status;

	NEED(child >= 0, "fork: %s", strerror(errno));
	if (!child) {
		move(getpid(), folder);
		while (times--)
			prctl(PR_SET_NAME, "renamed");
		_exit(0);
	}
	NEED(waitpid(child, &status, 0) == child && !status, "status %#x", status);
}

static uint64_t counted(const char *rule)
{
	struct magnet_ctl_wish wish = { .rules = rule };
	struct magnet_ctl_counters c;
	static struct sensor s;
	uint32_t sub;

	make_cgroups();
	if (!s.size)
		sensor_make(&s, 1 << 20);
	NEED(!ctl_sub_new_wish(&s.ctl, "task_rename", s.buffer, 0, &wish, &sub), "%s: %s", rule,
	     s.ctl.error);
	rename_in(ROOT, 1000);
	rename_in(OUTER, 100);
	rename_in(INNER, 10);
	rename_in(OTHER, 1);
	NEED(!ctl_sub_del(&s.ctl, sub, &c), "%s", s.ctl.error);
	EXPECT_EQ(c.hits, c.committed + c.filtered);
	EXPECT(c.hits >= 1111, "%llu hits", (unsigned long long)c.hits);
	return c.committed;
}

static void rules_know_where_a_process_is(void)
{
	char by_id[96];

	make_cgroups();
	snprintf(by_id, sizeof(by_id), "log if cgroup in %llu; drop",
		 (unsigned long long)id_of(OUTER));
	EXPECT_EQ(counted("log if cgroup == /outer; drop"), 100);
	EXPECT_EQ(counted("log if cgroup in /outer; drop"), 110);
	EXPECT_EQ(counted(by_id), 110);
	EXPECT_EQ(counted("log if cgroup in /outer/inner,/other; drop"), 11);
	EXPECT_EQ(counted("log if cgroup == /outer/inner,/outer; drop"), 110);
	EXPECT_EQ(counted("drop if cgroup in /other; log if cgroup != /,/outer; drop"), 10);
	EXPECT_EQ(counted("log if cgroup in /outer and tgid == 1; drop"), 0);
}

static void refused(const char *rule, const char *why)
{
	struct magnet_ctl_wish wish = { .rules = rule };
	static struct sensor s;
	uint32_t sub;

	if (!s.size)
		sensor_make(&s, 1 << 16);
	EXPECT(ctl_sub_new_wish(&s.ctl, "task_rename", s.buffer, 0, &wish, &sub), "%s: taken",
	       rule);
	EXPECT(strstr(s.ctl.error, why), "%s: %s", rule, s.ctl.error);
}

static void bad_rules_are_refused(void)
{
	make_cgroups();
	refused("log if cgroup == /nowhere", "there is no such cgroup");
	refused("log if cgroup in 123456789", "there is no such cgroup");
	refused("log if cgroup == outer", "a cgroup is a path");
	refused("log if cgroup > /outer", "cgroups are compared with == and !=");
	refused("log if cgroup & 1", "cgroups are compared with == and !=");
}

#define EVERYWHERE						\
	KTAP_TEST(all_that_are_there_are_told),			\
	KTAP_TEST(each_subscription_is_told),			\
	KTAP_TEST(what_has_no_room_is_counted),			\
	KTAP_TEST(each_child_is_told),				\
	KTAP_TEST(threads_are_not_told),			\
	KTAP_TEST(a_new_program_is_told),			\
	KTAP_TEST(each_move_is_told),				\
	KTAP_TEST(the_last_word_is_true),			\
	KTAP_TEST(cgroups_that_are_there_are_told),		\
	KTAP_TEST(each_cgroup_is_told),				\
	KTAP_TEST(a_long_path_is_cut),				\
	KTAP_TEST(other_hierarchies_are_not_told),		\
	KTAP_TEST(rules_know_where_a_process_is),		\
	KTAP_TEST(bad_rules_are_refused)

static const struct ktap_test unified[] = {
	EVERYWHERE,
	KTAP_TEST(a_child_is_made_elsewhere),
};

static const struct ktap_test version_1[] = {
	EVERYWHERE,
	KTAP_TEST(a_thread_moves_alone),
	KTAP_TEST(a_root_comes_and_goes),
};

int main(int argc, char **argv)
{
	if (strcmp(watched(), UNIFIED))
		return guest_main(version_1, KTAP_SIZE(version_1), argc, argv);
	return guest_main(unified, KTAP_SIZE(unified), argc, argv);
}

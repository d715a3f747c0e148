// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "guest.h"
#include "gtrace.h"

#define PROGRAM	"/tmp/" ESCAPER

struct shared *shared;

/* ---- the device ---- */

int device_open(int flags)
{
	const int fd = open(DEVICE, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int device_write(int fd, const char *text)
{
	const size_t len = strlen(text);
	const ssize_t done = write(fd, text, len);

	if (done < 0)
		return -errno;
	EXPECT_EQ(done, len);
	return 0;
}

int device_act(int fd, unsigned long cmd, const char *task)
{
	struct gtrace_name name = {};
	int result;

	memcpy(name.name, task, strnlen(task, sizeof(name.name)));
	result = ioctl(fd, cmd, &name);
	return result < 0 ? -errno : result;
}

int order(const char *format, ...)
{
	char text[8192];
	va_list args;
	int fd, result;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fd = device_open(O_WRONLY);
	if (fd < 0)
		return fd;
	result = device_write(fd, text);
	close(fd);
	return result;
}

int act(unsigned long cmd, const char *task)
{
	const int fd = device_open(O_RDONLY);
	int result;

	if (fd < 0)
		return fd;
	result = device_act(fd, cmd, task);
	close(fd);
	return result;
}

/* ---- what it says ---- */

static struct report last;

static char *read_all(int fd)
{
	size_t size = 1 << 16, len = 0;
	char *text = malloc(size);
	ssize_t got;

	while ((got = read(fd, text + len, size - len - 1)) > 0) {
		len += got;
		if (size - len < 4096)
			text = realloc(text, size *= 2);
		NEED(text, "no memory");
	}
	NEED(!got, "read: %s", strerror(errno));
	text[len] = '\0';
	return text;
}

static void parse_task(const char *line, char *name)
{
	NEED(sscanf(line, "task %31s id %*u state %7s owner %*u processes %*u cgroup %llu", name,
		    last.state, &last.cgroup) == 3, "%s", line);
	last.tasks++;
}

static void parse_process(const char *line, const char *task)
{
	struct traced *to = &last.traced[last.processes++];

	NEED(sscanf(line, "process %u parent %u depth %u start %llu progname %31[^\n]", &to->pid,
		    &to->parent, &to->depth, &to->start, to->progname) == 5, "%s", line);
	strcpy(to->task, task);
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void parse(char *text)
{
	char task[GTRACE_NAME_SIZE] = "", *line, *rest = text;

	free(last.traced);
	memset(&last, 0, sizeof(last));
	last.traced = calloc(lines_of(text), sizeof(*last.traced));
	line = strsep(&rest, "\n");
	NEED(sscanf(line, "gtrace created %llu forks %llu exits %llu forgotten %llu late %llu no_memory %llu lost %llu",
		    &last.created, &last.forks, &last.exits, &last.forgotten, &last.late,
		    &last.no_memory, &last.lost) == 7, "%s", line);
	while ((line = strsep(&rest, "\n")) && *line) {
		if (*line == 't')
			parse_task(line, task);
		else
			parse_process(line, task);
	}
	/* Whoever came is there or has gone, at each moment. */
	EXPECT_EQ(last.created + last.forks, last.exits + last.forgotten + last.processes);
}

const struct report *report(void)
{
	const int fd = device_open(O_RDONLY);
	char *text;

	NEED(fd >= 0, "%s: %s", DEVICE, strerror(-fd));
	text = read_all(fd);
	close(fd);
	parse(text);
	free(text);
	return &last;
}

const struct traced *traced(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < last.processes; i++)
		if (last.traced[i].pid == (uint32_t)pid)
			return &last.traced[i];
	return NULL;
}

unsigned int events(int fd, unsigned int kind, struct gtrace_event *found)
{
	struct gtrace_event event;
	unsigned int n = 0;

	while (!ioctl(fd, GTRACE_NEXT_EVENT, &event)) {
		if (event.kind != kind)
			continue;
		n++;
		if (found)
			*found = event;
	}
	NEED(errno == EAGAIN, "next event: %s", strerror(errno));
	return n;
}

/* ---- processes ---- */

/* Calls @fn with the state of each escaper that is not dead. */
static unsigned int each_escaper(void (*fn)(pid_t pid, char state, void *arg), void *arg)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	char path[300], line[256];
	unsigned int n = 0;

	NEED(dir, "/proc: %s", strerror(errno));
	while ((entry = readdir(dir))) {
		const char *state;
		FILE *file;

		if (!isdigit(entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		state = fgets(line, sizeof(line), file) ? strstr(line, "(" ESCAPER ") ") : NULL;
		fclose(file);
		if (!state)
			continue;
		state += strlen("(" ESCAPER ") ");
		if (*state == 'Z' || *state == 'X')
			continue;
		n++;
		if (fn)
			fn(atoi(entry->d_name), *state, arg);
	}
	closedir(dir);
	return n;
}

unsigned int alive(void)
{
	return each_escaper(NULL, NULL);
}

static void look_whether_stopped(pid_t pid, char state, void *all)
{
	(void)pid;
	/* Who waits for the end of a vfork sleeps uninterruptibly. */
	if (!strchr("TtD", state))
		*(bool *)all = false;
}

bool all_stopped(void)
{
	bool all = true;

	return each_escaper(look_whether_stopped, &all) && all;
}

static void end_one(pid_t pid, char state, void *unused)
{
	(void)state;
	(void)unused;
	kill(pid, SIGKILL);
}

void begin(void)
{
	int fd;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	NEED(shared != MAP_FAILED, "mmap: %s", strerror(errno));
	UNTIL(!each_escaper(end_one, NULL));
	fd = device_open(O_RDWR);
	NEED(fd >= 0, "%s: %s", DEVICE, strerror(-fd));
	NEED(!device_write(fd, "reset\n"), "reset: %s", strerror(errno));
	events(fd, 0, NULL);
	close(fd);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGCHLD, SIG_IGN);
	unlink(PROGRAM);
	NEED(!symlink("/proc/self/exe", PROGRAM) || errno == EEXIST, "symlink: %s",
	     strerror(errno));
}

pid_t escaper(const char *task, way_fn way)
{
	const pid_t pid = fork();

	NEED(pid >= 0, "fork: %s", strerror(errno));
	if (pid)
		return pid;
	prctl(PR_SET_NAME, ESCAPER);
	if (order("new %s %s", task, ESCAPER))
		_exit(1);
	way();
	_exit(0);
}

void beat(void)
{
	__atomic_fetch_add(&shared->beats, 1, __ATOMIC_RELAXED);
}

void ready(void)
{
	__atomic_fetch_add(&shared->ready, 1, __ATOMIC_RELEASE);
}

void spin(void)
{
	for (;;) {
		beat();
		usleep(1000);
	}
}

void exec_escaper(void)
{
	execl(PROGRAM, ESCAPER, "--end", NULL);
	_exit(127);
}

void end_all(const char *task)
{
	const int result = act(GTRACE_KILL, task);

	EXPECT(result > 0, "kill: %s", strerror(-result));
	/* Nobody kills them once more. */
	UNTIL(!alive());
	UNTIL(!report()->tasks);
}

/* ---- cgroups ---- */

uint64_t make_cgroup(const char *folder)
{
	char path[256];
	struct stat st;

	mkdir(CGROUPS, 0755);
	NEED(!mount("none", CGROUPS, "cgroup2", 0, NULL) || errno == EBUSY, "cgroup2: %s",
	     strerror(errno));
	snprintf(path, sizeof(path), CGROUPS "%s", folder);
	NEED(!mkdir(path, 0755) || errno == EEXIST, "%s: %s", path, strerror(errno));
	NEED(!stat(path, &st), "%s: %s", path, strerror(errno));
	return st.st_ino;
}

void move_to(pid_t pid, const char *folder)
{
	char path[256], text[16];

	snprintf(path, sizeof(path), CGROUPS "%s/cgroup.procs", folder);
	snprintf(text, sizeof(text), "%d", (int)pid);
	NEED(guest_write_file(path, text), "%s: %s", path, strerror(errno));
}

// SPDX-License-Identifier: Apache-2.0
/*
 * touch_pages FILE PAGES: maps the file, forgets what of it is in memory, touches
 * so many pages of it one by one, and prints how many major faults that were.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int touch(const char *file, unsigned int pages)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	const int fd = open(file, O_RDONLY);
	struct rusage before, after;
	const volatile char *p;
	unsigned int i;

	p = mmap(NULL, pages * size, PROT_READ, MAP_SHARED, fd, 1 << 20);
	if (fd < 0 || p == MAP_FAILED || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) ||
	    madvise((void *)p, pages * size, MADV_RANDOM))
		return -1;
	getrusage(RUSAGE_SELF, &before);
	for (i = 0; i < pages; i++)
		(void)p[i * size];
	getrusage(RUSAGE_SELF, &after);
	printf("%ld\n", after.ru_majflt - before.ru_majflt);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3 || atoi(argv[2]) <= 0) {
		fprintf(stderr, "usage: touch_pages FILE PAGES\n");
		return 2;
	}
	if (touch(argv[1], atoi(argv[2]))) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * figure3 FILE [OPTION VALUE]: the client of the MAGNET paper's figure 3, to be
 * copied: open, then lseek and read until the buffer ends. It prints how many
 * records came, and in how many reads.
 *
 *	figure3 /dev/magnet/NAME/cpu0 READCOUNT_WATERMARK 100
 *
 * The paper's lseek(file, option, val) is lseek(file, MAGNET_ATTR(option, val),
 * SEEK_SET): "whence" above 4 does not reach a driver.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <magnet.h>

static const char *const options[] = {
	[MAGNET_ATTR_READSIZE_WATERMARK]	= "READSIZE_WATERMARK",
	[MAGNET_ATTR_READCOUNT_WATERMARK]	= "READCOUNT_WATERMARK",
	[MAGNET_ATTR_MIN_READ_TIMEOUT]		= "MIN_READ_TIMEOUT",
	[MAGNET_ATTR_MAX_READ_WATERMARK]	= "MAX_READ_WATERMARK",
	[MAGNET_ATTR_MAX_READ_TIMEOUT]		= "MAX_READ_TIMEOUT",
};

/* A record begins at a multiple of 8. */
static char buf[256 * 1024] __attribute__((aligned(MAGNET_RECORD_ALIGN)));

static unsigned int option_named(const char *name)
{
	unsigned int i;

	for (i = 1; i <= MAGNET_ATTR_MAX_READ_TIMEOUT; i++)
		if (!strcmp(options[i], name))
			return i;
	fprintf(stderr, "figure3: there is no option %s\n", name);
	exit(2);
}

/* A read returns whole records, each with its size in front: layout "wide". */
static unsigned long count_records(const char *at, const char *end)
{
	const struct magnet_record *record;
	unsigned long records = 0;

	for (; at < end; at += record->size) {
		record = (const void *)at;
		records++;
	}
	return records;
}

int main(int argc, char **argv)
{
	unsigned long records = 0, reads = 0;
	unsigned int option;
	unsigned long long val;
	ssize_t nread = -1;
	int file;

	if (argc != 2 && argc != 4) {
		fprintf(stderr, "usage: figure3 FILE [OPTION VALUE]\n");
		return 2;
	}
	option = option_named(argc > 2 ? argv[2] : "READCOUNT_WATERMARK");
	val = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	file = open(argv[1], O_RDONLY);
	if (file < 0) {
		fprintf(stderr, "figure3: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	for (;;) {
		/* Configure the read operations. */
		if (lseek(file, MAGNET_ATTR(option, val), SEEK_SET) < 0)
			break;
		nread = read(file, buf, sizeof(buf));
		if (nread <= 0)
			break;
		records += count_records(buf, buf + nread);
		reads++;
	}
	/* A read of 0 bytes: the buffer was removed, and all of it is read. */
	if (nread) {
		fprintf(stderr, "figure3: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	close(file);
	printf("%lu records in %lu reads\n", records, reads);
	return 0;
}

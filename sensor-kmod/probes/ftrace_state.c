// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether the kernel calls anybody at functions: kernel.ftrace_enabled. The
 * variable is nobody's but the kernel's, and no registration fails for it, so
 * the file is read that everybody may read.
 */
#include <linux/err.h>
#include <linux/fs.h>

#include "probes/ftrace_state.h"

/**
 * magnet_ftrace_disabled() - is kernel.ftrace_enabled 0?
 *
 * Context: may sleep; in a process.
 * Return: false also when that can't be found out: the caller sees no /proc.
 */
bool magnet_ftrace_disabled(void)
{
	struct file *file = filp_open("/proc/sys/kernel/ftrace_enabled", O_RDONLY, 0);
	char digit = '1';
	loff_t pos = 0;

	if (IS_ERR(file))
		return false;
	if (kernel_read(file, &digit, sizeof(digit), &pos) != sizeof(digit))
		digit = '1';
	filp_close(file, NULL);
	return digit == '0';
}

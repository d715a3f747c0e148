// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times, as people write them in rules and correlating filters.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/time64.h>

#include <uapi/magnet.h>

#include "written_time.h"

#define DIGITS		"0123456789"
#define TIME_DIGITS	12
#define FRACTION_DIGITS	9

/* Digits of a decimal number, and 10 to the power of how many there are. */
static u64 parse_digits(const char *text, size_t len, u64 *scale)
{
	u64 value = 0;

	for (*scale = 1; len; len--, *scale *= 10)
		value = value * 10 + (*text++ - '0');
	return value;
}

/**
 * magnet_written_us() - a time as all of magnet writes times
 * @text: 500us, 20ms, 0.5s, 90, 5m, 1h; without a unit these are seconds
 *
 * Return: microseconds, an hour at most; 0 if it is none, or longer.
 */
u64 magnet_written_us(const char *text)
{
	static const struct { const char *name; u64 us; } units[] = {
		{ "", USEC_PER_SEC }, { "us", 1 }, { "ms", USEC_PER_MSEC }, { "s", USEC_PER_SEC },
		{ "m", 60ULL * USEC_PER_SEC }, { "h", 3600ULL * USEC_PER_SEC },
		{ "d", 24 * 3600ULL * USEC_PER_SEC },
	};
	u64 whole, fraction = 0, scale = 1, us;
	size_t i, len = strspn(text, DIGITS);

	if (!len || len > TIME_DIGITS)
		return 0;
	whole = parse_digits(text, len, &scale);
	text += len;
	scale = 1;
	if (*text == '.') {
		len = strspn(++text, DIGITS);
		if (!len || len > FRACTION_DIGITS)
			return 0;
		fraction = parse_digits(text, len, &scale);
		text += len;
	}
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(text, units[i].name))
			continue;
		if (whole > MAGNET_SAMPLE_INTERVAL_MAX_US / units[i].us)
			return 0;
		us = whole * units[i].us + mul_u64_u64_div_u64(fraction, units[i].us, scale);
		return us > MAGNET_SAMPLE_INTERVAL_MAX_US ? 0 : us;
	}
	return 0;
}

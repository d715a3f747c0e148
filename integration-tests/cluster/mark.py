#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# mark.py BEGIN END: writes markers around two instants of the wall clock, nanoseconds since 1970: from 50 ms before to 50 ms after
# each, one in a millisecond. Prints of each its number, and the wall clock before and after it was written: an emulated machine may
# stand still in between.
import sys
import time

AROUND_NS, STEP_NS = 50_000_000, 1_000_000


def main():
    number = 0
    with open("/dev/magnet/marker", "wb", buffering=0) as marker:
        for instant in (int(sys.argv[1]), int(sys.argv[2])):
            for at in range(instant - AROUND_NS, instant + AROUND_NS, STEP_NS):
                time.sleep(max(0, (at - time.time_ns()) / 1e9))
                number += 1
                before = time.time_ns()
                marker.write(b"%d" % number)
                print(number, before, time.time_ns())


main()

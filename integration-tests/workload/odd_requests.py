#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""
odd_requests.py DISK FLUSHES DISCARDS FAILURES: asks the disk so often to write out what it holds, to forget a part of what it
has, and to read its first sectors, which fails. One request each.
"""
import errno
import fcntl
import mmap
import os
import struct
import sys

BLKDISCARD = 0x1277
PART = 1 << 16
PAGE = mmap.PAGESIZE


def read_fails(disk, page):
    try:
        os.preadv(disk, [page], 0)
    except OSError as error:
        return error.errno == errno.EIO
    return False


def main(path, flushes, discards, failures):
    disk = os.open(path, os.O_RDWR | os.O_DIRECT)
    page = mmap.mmap(-1, PAGE)
    for _ in range(flushes):
        os.fsync(disk)
    for i in range(1, discards + 1):
        fcntl.ioctl(disk, BLKDISCARD, struct.pack("=QQ", i * PART, PART))
    for _ in range(failures):
        if not read_fails(disk, page):
            sys.exit(f"{path}: a read that should have failed did not")


main(sys.argv[1], *map(int, sys.argv[2:]))

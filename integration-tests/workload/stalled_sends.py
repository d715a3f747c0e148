#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""
stalled_sends.py DISK MESSAGES: talks to itself over TCP, by IPv4 and some time later by IPv6, MESSAGES times there and back.
Then the data of a send is in a page of DISK that has to be read first: the send stands still in the kernel meanwhile, and
what comes in for its connection has to wait. At last the same with a datagram to nobody. DISK is to be slow.
"""
import mmap
import os
import socket
import sys
import threading
import time

MESSAGE = b"magnet" * 10
# Farther than the kernel reads ahead.
APART = 1 << 20


def connection(family, host):
    listener = socket.create_server((host, 0), family=family)
    near = socket.create_connection((host, listener.getsockname()[1]))
    far = listener.accept()[0]
    for end in near, far:
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return near, far


def say(sender, receiver):
    sender.sendall(MESSAGE)
    hear(receiver)


def hear(receiver):
    receiver.recv(len(MESSAGE), socket.MSG_WAITALL)


def is_in_the_kernel(thread):
    with open(f"/proc/self/task/{thread.native_id}/stat") as stat:
        return stat.read().rpartition(") ")[2][0] == "D"


def stall(near, far, page):
    sending = threading.Thread(target=near.sendall, args=(page,))
    sending.start()
    while not is_in_the_kernel(sending):
        time.sleep(0.01)
    far.sendall(MESSAGE)
    sending.join()
    hear(near)
    hear(far)


def main(disk, messages):
    mapped = mmap.mmap(os.open(disk, os.O_RDONLY), 4 * APART, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
    mapped.madvise(mmap.MADV_RANDOM)
    pages = [memoryview(mapped)[i * APART : i * APART + len(MESSAGE)] for i in range(1, 4)]
    for family, host in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
        near, far = connection(family, host)
        for _ in range(messages):
            say(near, far)
            say(far, near)
        stall(near, far, pages.pop())
        time.sleep(1.5)
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(pages.pop(), ("127.0.0.1", 9))


main(sys.argv[1], int(sys.argv[2]))

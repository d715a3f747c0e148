#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""
odd_sends.py: sends over UDP in ways in which calls are not datagrams, each on a socket of its own, where nobody else sends.
Prints for each its name, the socket's cookie, how many calls it made, and how many datagrams the kernel counted meanwhile
(Udp OutDatagrams).

corked    one datagram of five calls
segments  one call whose data the kernel, or the device, cuts into twenty datagrams
refused   a datagram to a port where nobody is, and a call that is told so
sendfile  a datagram of a file
"""
import os
import socket
import struct
import tempfile

HOME = "127.0.0.1"
PORT_OF_NOBODY = 7
SO_COOKIE = 57
UDP_CORK = 1
UDP_SEGMENT = 103


def out_datagrams():
    with open("/proc/net/snmp", encoding="ascii") as file:
        names, values = (line.split() for line in file if line.startswith("Udp: "))
    return int(values[names.index("OutDatagrams")])


def corked(sender):
    sender.setsockopt(socket.IPPROTO_UDP, UDP_CORK, 1)
    for _ in range(5):
        sender.send(b"magnet")
    sender.setsockopt(socket.IPPROTO_UDP, UDP_CORK, 0)
    return 5


def segments(sender):
    sender.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 100)
    sender.send(bytes(2000))
    return 1


def refused(sender):
    sender.connect((HOME, PORT_OF_NOBODY))
    sender.send(b"magnet")
    try:
        sender.send(b"magnet")
    except ConnectionRefusedError:
        return 2
    raise SystemExit("was not refused")


def sendfile(sender):
    with tempfile.TemporaryFile() as file:
        file.write(bytes(100))
        file.flush()
        os.sendfile(sender.fileno(), file.fileno(), 0, 100)
    return 1


def main():
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind((HOME, 0))
    for way in (corked, segments, refused, sendfile):
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sender.connect(receiver.getsockname())
        (cookie,) = struct.unpack("Q", sender.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8))
        before = out_datagrams()
        calls = way(sender)
        print(way.__name__, cookie, calls, out_datagrams() - before)


main()

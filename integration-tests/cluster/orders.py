#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# orders.py ADDRESS PORT KEYFILE: asks a magnet-node how it is, by docs/cluster.md alone and with nothing of magnet's own code, and
# sends what it has to refuse: the same datagram again, one of an hour ago, one with another key, and one that is too short.
# Prints the answer's lines, and fails if there is not exactly one that is signed.
import hmac
import os
import socket
import struct
import sys
import time

START, STOP, QUERY, ACK = 1, 2, 3, 4


def datagram(key, kind, counter, run, sender, at=0, duration=0, text=b""):
    length = 64 + len(text) + 32
    body = b"MGC1" + struct.pack(">BBH16sQ16sQQ", 1, kind, length, sender, counter, run, at, duration) + text
    return body + hmac.digest(key, body, "sha256")


def main():
    to = (sys.argv[1], int(sys.argv[2]))
    with open(sys.argv[3], "rb") as file:
        key = file.read()
    sender, run = os.urandom(16), os.urandom(16)
    now = time.time_ns()
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    good = datagram(key, QUERY, now, run, sender)
    own.sendto(good, to)
    own.sendto(good, to)
    own.sendto(datagram(key, QUERY, now - 3600 * 10**9, os.urandom(16), os.urandom(16)), to)
    own.sendto(datagram(bytes(len(key)), QUERY, now + 1, os.urandom(16), sender), to)
    own.sendto(good[:-1], to)
    own.settimeout(60)
    answer = own.recv(65536)
    own.settimeout(3)
    try:
        own.recv(65536)
        sys.exit("a second answer")
    except socket.timeout:
        pass
    if answer[-32:] != hmac.digest(key, answer[:-32], "sha256"):
        sys.exit("the answer is not signed")
    if answer[5] != ACK or answer[32:48] != run:
        sys.exit("that is no answer to this question")
    print(answer[64:-32].decode(), end="")


main()

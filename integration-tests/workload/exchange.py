#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""
exchange.py answer HOST PORT: for whoever comes, answers each datagram with as many bytes over TCP, and ends with the connection.
exchange.py ask HOST PORT COUNT SIZE: sends COUNT datagrams of SIZE bytes to one that answers, one after the other.
"""
import socket
import sys
import time

LONGEST = 1 << 16


def family(host):
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def answer(host, port):
    listener = socket.create_server((host, port), family=family(host))
    datagrams = socket.socket(family(host), socket.SOCK_DGRAM)
    datagrams.bind((host, port))
    connection = listener.accept()[0]
    for _ in range(int.from_bytes(connection.recv(4, socket.MSG_WAITALL))):
        connection.sendall(datagrams.recv(LONGEST))
    assert connection.recv(1) == b""


def connected(host, port):
    while True:
        try:
            return socket.create_connection((host, port))
        except ConnectionRefusedError:
            time.sleep(0.1)


def ask(host, port, count, size):
    connection = connected(host, port)
    connection.sendall(count.to_bytes(4))
    datagrams = socket.socket(family(host), socket.SOCK_DGRAM)
    for _ in range(count):
        assert datagrams.sendto(bytes(size), (host, port)) == size
        assert len(connection.recv(size, socket.MSG_WAITALL)) == size
    # The other end closes before this one: no packet is left to a socket that is half gone.
    connection.shutdown(socket.SHUT_WR)
    assert connection.recv(1) == b""


{"answer": answer, "ask": ask}[sys.argv[1]](sys.argv[2], *map(int, sys.argv[3:]))

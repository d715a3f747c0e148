#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""muse_switches.py SOCKET PID PIPE: asks magnetd by MUSE's protocol how often a process leaves its CPU.

Says "started" when its handler runs and, when somebody has written to the named pipe, how often that was since.
"""
import socket
import struct
import sys

CREATE, QUERY, START, ADD_FILTER = 1, 3, 5, 8
CONTEXT_IN, CONTEXT_OUT = 258, 259
OF_EVENT_AND_PROCESS = b"\xa0\0\0\0"
CPUS_AT = 20

server = socket.socket(socket.AF_UNIX)


def take(length):
    data = server.recv(length, socket.MSG_WAITALL)
    if len(data) != length:
        sys.exit("muse_switches.py: the connection ended")
    return data


def ask(opcode, about, options=b""):
    request = bytes([opcode]) + about + struct.pack(">I", len(options)) + options
    server.sendall(struct.pack(">I", len(request)) + request)
    reply = take(*struct.unpack(">I", take(4)))
    if reply[0]:
        sys.exit("muse_switches.py: refused: " + reply[1:].decode())
    return reply[1:]


def text(words):
    return bytes([len(words)]) + words.encode() + b"\0"


server.connect(sys.argv[1])
if take(1) != b"\0":
    sys.exit("muse_switches.py: refused")
handler = ask(CREATE, text("process_scheduling"))
for event in CONTEXT_IN, CONTEXT_OUT:
    ask(ADD_FILTER, handler + text("process_filter"), OF_EVENT_AND_PROCESS + struct.pack(">II", event, int(sys.argv[2])))
ask(START, handler)
print("started", flush=True)
with open(sys.argv[3]) as pipe:
    pipe.read()
per_cpu = ask(QUERY, handler)[CPUS_AT:]
print("switches", int(sum(switches for switches, _, _ in struct.iter_unpack(">dQQ", per_cpu))))

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""
unwanted_packets.py KIND=COUNT...: sends packets to this host that it throws away, so many of each kind that is named. Kinds:

no_socket      datagrams to a port where nobody is
socket_buffer  datagrams to a socket that nobody reads, whose buffer holds some of them
filter         datagrams to a socket whose filter lets nothing pass
netfilter      datagrams to PORT_OF_FIREWALL, where a rule of somebody else's drops them
udp_checksum   datagrams with a wrong checksum
tcp_checksum   segments with a wrong checksum
tcp_flags      segments to a listening socket that begin a connection and end it
protocol       packets of a protocol that is not there
header         packets of an IP version that is not there
congested      datagrams to a VLAN on a device that is so slow that HELD of them wait there, and older ones make room for newer
               ones; prints how many the VLAN says it sent, and how many the queue says it dropped
tun            datagrams to a device whose program does not read: QUEUE of them wait there; prints how many did not, by the
               device's own counter
"""
import ctypes
import fcntl
import os
import re
import socket
import struct
import subprocess
import sys

HOME = "127.0.0.1"
PORT_OF_NOBODY = 7
PORT_OF_FIREWALL = 4444
HELD = 5
QUEUE = 50
DATA = b"magnet"

SO_ATTACH_FILTER = 26
BPF_RET_K = 0x06
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 1, 0x1000
TEST_PROTOCOL = 253
SYN_AND_FIN = 0x03


def datagrams(count, port, host=HOME):
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(count):
        sender.sendto(DATA, (host, port))


def receiver():
    there = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    there.bind((HOME, 0))
    return there


def raw(count, protocol, payload, version=4):
    """The kernel itself writes length and checksum of the header."""
    header = struct.pack("!BBHHHBBH4s4s", version << 4 | 5, 0, 0, 0, 0, 64, protocol, 0, *2 * [socket.inet_aton(HOME)])
    sender = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    for _ in range(count):
        sender.sendto(header + payload, (HOME, 0))


def checksum(protocol, payload):
    pseudo = socket.inet_aton(HOME) * 2 + struct.pack("!HH", protocol, len(payload))
    total = sum(struct.unpack(f"!{len(pseudo + payload) // 2}H", pseudo + payload))
    return ~(total % 0xFFFF) & 0xFFFF


def segment(port, flags, spoil=0):
    def packed(check):
        return struct.pack("!HHIIBBHHH", 1025, port, 1, 0, 5 << 4, flags, 1024, check, 0)

    return packed(checksum(socket.IPPROTO_TCP, packed(0)) ^ spoil)


def no_socket(count):
    datagrams(count, PORT_OF_NOBODY)


def socket_buffer(count):
    full = receiver()
    full.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    datagrams(count, full.getsockname()[1])


def filter(count):
    deaf = receiver()
    nothing = ctypes.create_string_buffer(struct.pack("=HBBI", BPF_RET_K, 0, 0, 0), 8)
    deaf.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HL", 1, ctypes.addressof(nothing)))
    datagrams(count, deaf.getsockname()[1])


def netfilter(count):
    datagrams(count, PORT_OF_FIREWALL)


def udp_checksum(count):
    raw(count, socket.IPPROTO_UDP, struct.pack("!HHHH", 1025, PORT_OF_NOBODY, 8 + len(DATA), 1) + DATA)


def tcp_checksum(count):
    raw(count, socket.IPPROTO_TCP, segment(PORT_OF_NOBODY, SYN_AND_FIN, spoil=1))


def tcp_flags(count):
    listener = socket.create_server((HOME, 0))
    raw(count, socket.IPPROTO_TCP, segment(listener.getsockname()[1], SYN_AND_FIN))


def protocol(count):
    raw(count, TEST_PROTOCOL, DATA)


def header(count):
    raw(count, TEST_PROTOCOL, DATA, version=5)


def run(*commands):
    for command in commands:
        subprocess.run(command.split(), check=True)


def counter(device, column):
    with open("/proc/net/dev") as devices:
        return next(line for line in devices if f"{device}:" in line).split()[column]


def congested(count):
    run(
        "ip link add mg-slow type dummy",
        "ip link add link mg-slow name mg-vlan type vlan id 7",
        "tc qdisc add dev mg-slow root handle 1: tbf rate 8bit burst 1600 limit 16000",
        f"tc qdisc add dev mg-slow parent 1: pfifo_head_drop limit {HELD}",
        "ip address add 10.9.3.1/24 dev mg-vlan",
        "ip link set mg-slow up",
        "ip link set mg-vlan up",
        "ip neighbour add 10.9.3.2 lladdr 02:00:00:00:00:03 nud permanent dev mg-vlan",
    )
    datagrams(count, PORT_OF_NOBODY, "10.9.3.2")
    queue = subprocess.run("tc -s qdisc show dev mg-slow".split(), check=True, capture_output=True, text=True).stdout
    print("sent", counter("mg-vlan", 10))
    print("dropped", re.search(r"dropped (\d+)", queue)[1])


def tun(count):
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"mg-tun", IFF_TUN | IFF_NO_PI))
    run(f"ip link set mg-tun txqueuelen {QUEUE} up", "ip address add 10.9.2.1/24 dev mg-tun")
    datagrams(count, PORT_OF_NOBODY, "10.9.2.2")
    print("refused", counter("mg-tun", 12))


for argument in sys.argv[1:]:
    kind, _, count = argument.partition("=")
    globals()[kind](int(count))

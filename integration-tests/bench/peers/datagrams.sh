# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: Apache-2.0
#
# What measurements share that watch datagrams: 8,972 bytes of data each, over veth, MTU 9000, from one network name space to
# another one, where nobody reads them. magnet and tcpdump write to a tmpfs and have a buffer of 2 MiB; magnet-read is woken
# when 256 KiB are there. On top of consumers.sh; $PROGRAMS has what build-tools has built. What the
# functions find out they leave in variables for who reads this file, which shellcheck does not see.

# shellcheck source=consumers.sh
. "$(dirname "$0")/consumers.sh"

SIZE=8972
BUFFER=2097152
WATERMARK=262144
OUT=/tmp/out
BLOCKS_TABLE=/tmp/blocks.csv
# It does not fire: magnet-read makes its buffer for it, and others subscribe to that buffer.
QUIET_POINT=tcp_retransmit_skb
SENDER=(ip netns exec sender)
# With what the readers are started.
READER=()

# connect PORT...: the name spaces, and a socket for each of the ports; SINK is the process that has them.
connect() {
    modprobe veth
    ip netns add sender
    ip netns add receiver
    ip link add to-receiver netns sender mtu 9000 type veth peer name to-sender netns receiver mtu 9000
    ip -n sender addr add 10.0.0.1/24 dev to-receiver
    ip -n receiver addr add 10.0.0.2/24 dev to-sender
    ip -n sender link set to-receiver up
    ip -n receiver link set to-sender up
    ip -n sender neigh replace 10.0.0.2 dev to-receiver nud permanent \
        lladdr "$(ip netns exec receiver cat /sys/class/net/to-sender/address)"
    ip netns exec receiver python3 -c '
import signal, socket, sys
sinks = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in sys.argv[1:]]
for sink, port in zip(sinks, sys.argv[1:]):
    sink.bind(("10.0.0.2", int(port)))
print("ready", flush=True)
signal.pause()' "$@" >/tmp/sink.log &
    SINK=$!
    until_true grep ready /tmp/sink.log
}

# send_datagrams FILE PORT CALLS BLOCKS WARM-UP: HIT is the command that sends them, and leaves in a file what a datagram cost
# in each block; DATAGRAMS is how many it sends.
send_datagrams() {
    HIT=("${SENDER[@]}" "$PROGRAMS/hit" -o "$1" -p "$2" -k "$3" -b "$4" -w "$5" -a 10.0.0.2 -l "$SIZE" datagram)
    DATAGRAMS=$(($3 * ($4 + $5)))
}

# watched PROCESS COMMAND...: runs the command, OUTPUT is what it printed, SPENT what the process, if any, spent meanwhile.
watched() {
    local before=0 after=0 process=$1
    shift
    [[ ! $process ]] || before=$(rest "$process")
    OUTPUT=$("$@")
    [[ ! $process ]] || after=$(rest "$process")
    SPENT=$((after - before))
}

# keep_blocks NAME FILE
keep_blocks() {
    awk -v name="$1" '{ print name "," NR "," $1 }' "$2" >>"$BLOCKS_TABLE"
    rm "$2"
}

# What the subscriptions of these lines have counted: RECORDED and LOST; those of the point that does not fire left out.
# LEFT_OUT is what their rules or sampling did not let in.
count() {
    read -r RECORDED LOST LEFT_OUT < <(grep -v "^$QUIET_POINT" <<<"$1" | tr '=' ' ' | awk '
        / hits / { hits += $3; recorded += $5; left_out += $7 + $9 }
        END { print recorded + 0, hits - recorded - left_out, left_out + 0 }')
}

# start_reader OPTION...
start_reader() {
    mkdir -p $OUT
    "${READER[@]}" "$PROGRAMS/magnet-read" -b bench -s $BUFFER -w $WATERMARK -o $OUT "$@" >/tmp/counters &
    READER_PID=$!
    waits_in 7 "$READER_PID"
}

end_reader() {
    kill -INT "$READER_PID"
    wait "$READER_PID"
}

# start_tcpdump SNAP-LENGTH FILTER...
start_tcpdump() {
    mkdir -p $OUT
    ip netns exec sender "${READER[@]}" tcpdump -Z root -n -i to-receiver -s "$1" -B $((BUFFER / 1024)) -w $OUT/packets \
        "${@:2}" 2>/tmp/tcpdump.log &
    READER_PID=$!
    until_true grep 'listening on' /tmp/tcpdump.log
}

# CAPTURED is how many packets it has written.
end_tcpdump() {
    sleep 1.5
    end_reader
    CAPTURED=$(awk '/packets captured/ { print $1 }' /tmp/tcpdump.log)
}

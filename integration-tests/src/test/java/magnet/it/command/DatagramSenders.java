// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

/** Functions of a shell for programs in a guest that send as many datagrams as they are told, and for a command that reads them. */
final class DatagramSenders {
    /**
     * {@code start NAME [COMMAND...]} starts a program, by a command that runs the words behind its own; it says its number in
     * {@code NAME.pid}. {@code send NAME N FILE-DESCRIPTOR} lets it send, where the descriptor is open for the pipe {@code NAME}; how
     * many datagrams the program's network has sent by then is in {@code NAME.sent}. {@code begin
     * ARGUMENT...} starts {@code magnet} with its lines in {@code events.txt}, until it gets the events of udp_sendmsg; {@code end}
     * ends it.
     */
    static final String FUNCTIONS = """
            cat >sender.py <<'END'
            import os, socket, sys
            name = sys.argv[1]
            to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            open("pid", "w").write(str(os.getpid()))
            os.rename("pid", name + ".pid")
            for line in open(name):
                for i in range(int(line)):
                    to.sendto(b"x", ("127.0.0.1", 7))
                udp = [line.split() for line in open("/proc/self/net/snmp") if line.startswith("Udp:")][1]
                open(name + ".sent", "w").write(udp[4])
                open(name + ".done", "a").write(line)
            END
            start() {
                mkfifo $1 && { "${@:2}" python3 sender.py $1 & }
                until [ -e $1.pid ]; do sleep 0.1; done
            }
            send() { echo $2 >&$3; until [ "$(tail -n 1 $1.done 2>/dev/null)" = $2 ]; do sleep 0.1; done; }
            begin() {
                env --default-signal=INT $MAGNET_ROOT/sensor-java/bin/magnet "$@" >events.txt 2>err.txt &
                reader=$!
                until grep -q '^[^ ]* udp_sendmsg .*=on' /sys/kernel/debug/magnet/control/events; do
                    kill -0 $reader || { cat err.txt >&2; exit 1; }
                    sleep 0.1
                done
            }
            end() { kill -INT $reader; wait $reader || { cat err.txt >&2; exit 1; }; }
            """;

    private DatagramSenders() {}
}

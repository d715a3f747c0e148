// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.guest.LoadedModule;
import magnet.it.guest.Tree;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** LTTng's modules at the same function and the same tracepoint at the same time: each sees all that there is. */
@GuestTest(turns = true, peers = true)
@ExtendWith(LoadedModule.class)
@Tag("stock")
@Tag("long")
final class LttngIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final Pattern SENT = Pattern.compile("sent (\\d+) refused (\\d+)");

    /** The tracepoint is what makes a process: a known number of them, all of one parent. */
    private static final String COUNT = """
            cd %s; root=$MAGNET_ROOT
            ln -sfn %s/$(uname -r) /lib/modules/$(uname -r)
            ip link set lo up
            mkdir -p /var/run/lttng
            lttng-sessiond --daemonize --kmod-probes=sched >sessiond.txt 2>&1 || exit 1
            {
                lttng create beside -o $PWD/lttng && lttng enable-channel -k channel --subbuf-size 1M --num-subbuf 8 &&
                lttng add-context -k -c channel -t tid && lttng enable-event -k -c channel sent --probe=udp_sendmsg &&
                lttng enable-event -k -c channel sched_process_fork && lttng start
            } >lttng.txt 2>&1 || { cat lttng.txt >&2; exit 1; }
            $root/build/tools/magnet-read -p udp_sendmsg -p sched_process_fork -s 16777216 >magnet.txt & reader=$!
            until [ $(grep -c '=on' /sys/kernel/debug/magnet/control/events) = 2 ]; do sleep 0.1; done
            bash -c 'for i in {1..53}; do (:); done; exec "$@"' work \
                $root/build/tools/udp_stream send 127.0.0.1 9 64 500 2 >sent.txt & work=$!
            wait $work || exit 1
            lttng stop >>lttng.txt 2>&1
            kill -INT $reader; wait $reader || exit 1
            lttng destroy beside >>lttng.txt 2>&1
            babeltrace2 lttng >events.txt || exit 1
            kill $(</var/run/lttng/lttng-sessiond.pid)
            echo "sent $(grep -c " sent: .* tid = $work " events.txt)" >counts.txt
            echo "forks $(grep -c " sched_process_fork: .* tid = $work " events.txt)" >>counts.txt
            echo "all sent $(grep -c ' sent: ' events.txt)" >>counts.txt
            """;

    private final Guest guest;

    LttngIT(Guest guest) {
        this.guest = guest;
    }

    @Test
    void shouldCountWhatLttngCountsAtTheSamePoints() throws Exception {
        Path folder = Files.createTempDirectory(guest.share(), "lttng-");
        Path modules = Tree.build()
                .resolve("peers/modules")
                .resolve(guest.options().kernel())
                .resolve("lib/modules");

        guest.sh(LIMIT, COUNT.formatted(folder, modules)).orFail();

        assertThat(Files.readString(folder.resolve("lttng.txt"))).doesNotContain("discarded");
        MatchResult sent = SENT.matcher(Files.readString(folder.resolve("sent.txt")))
                .results()
                .findFirst()
                .orElseThrow();
        long sends = Long.parseLong(sent.group(1)) + Long.parseLong(sent.group(2));
        assertThat(Files.readString(folder.resolve("counts.txt")))
                .isEqualTo("sent " + sends + "\nforks 53\nall sent " + sends + "\n");
        String magnet = Files.readString(folder.resolve("magnet.txt"));
        assertThat(magnet).doesNotContainPattern("dropped_\\w+ [1-9]");
        assertThat(hits(magnet, "udp_sendmsg")).isEqualTo(sends);
        assertThat(hits(magnet, "sched_process_fork")).isGreaterThanOrEqualTo(53);
        assertThat(KernelModule.isLoaded(guest)).isTrue();
    }

    private static long hits(String text, String point) {
        return text.lines()
                .filter(line -> line.contains(point))
                .map(line -> line.replaceAll(".* hits (\\d+) .*", "$1"))
                .mapToLong(Long::parseLong)
                .sum();
    }
}

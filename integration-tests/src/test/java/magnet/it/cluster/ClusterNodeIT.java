// SPDX-License-Identifier: Apache-2.0
package magnet.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Json;
import org.junit.jupiter.api.Test;

/** One node on its own: orders that others have made, orders of {@code magnet cluster}, and the trace that comes of them. */
@GuestTest
final class ClusterNodeIT {
    private static final Duration LIMIT = Duration.ofMinutes(8);

    /** The begin is so far ahead that also an emulated machine beside others has subscribed by then. */
    private static final String AHEAD = "+60s";

    private static final String SCRIPT = """
            cd %s || exit 1
            magnet=$MAGNET_ROOT/sensor-java/bin/magnet cluster=$MAGNET_ROOT/integration-tests/cluster
            hostname n1
            mkdir -p /etc/magnet
            printf '%%s\\n' '[cluster]' 'record = on' 'address = 127.0.0.1:8655' 'nodes = n1' \\
                '[recording default]' 'min-free = 0' >/etc/magnet/magnet.conf
            $magnet cluster key 2>key.txt || exit 1
            $MAGNET_ROOT/sensor-java/bin/magnet-node 2>node.txt & node=$!
            until grep -q 'hears orders' node.txt; do kill -0 $node || exit 1; sleep 0.5; done
            $cluster/orders.py 127.0.0.1 8655 /etc/magnet/cluster.key >answer.txt || exit 1
            $magnet cluster start default --for 5s 2>refused.txt && exit 1
            tcpdump -i lo -n -Z root --immediate-mode -U -w orders.pcap udp port 8655 2>tcpdump.txt & tcpdump=$!
            until grep -q listening tcpdump.txt; do kill -0 $tcpdump || exit 1; sleep 0.1; done
            $magnet cluster start default --for 5s --at %s --allow-unsynchronised --json >start.json || exit 1
            kill $tcpdump; wait $tcpdump
            tcpdump -Z root -n -r orders.pcap udp dst port 8655 2>/dev/null | wc -l >sent.txt
            tcpdump -Z root -n -r orders.pcap udp src port 8655 2>/dev/null | wc -l >answers.txt
            read -r begin end < <(python3 -c '
            import json
            start = json.load(open("start.json"))
            print(start["at_ns"], int(start["at_ns"]) + int(start["duration_ns"]))')
            $cluster/mark.py $begin $end >written.txt || exit 1
            until $magnet cluster status --json >status.json && grep -q '"state": "\\(done\\|failed\\)"' status.json; do sleep 1; done
            run=$(ls /var/lib/magnet/recordings)
            cp /var/lib/magnet/recordings/$run/n1.json run.json || exit 1
            $magnet cluster collect $run -o collected 2>collect.txt || exit 1
            diff -r /var/lib/magnet/recordings/$run collected || exit 1
            babeltrace2 collected/n1 >events.txt || exit 1
            kill $node; wait $node; echo $? >exit.txt
            """;

    private final Guest guest;
    private Path folder = Path.of("");

    ClusterNodeIT(Guest guest) {
        this.guest = guest;
    }

    private String text(String file) throws IOException {
        return Files.readString(folder.resolve(file)).strip();
    }

    private List<String> lines(String file) throws IOException {
        return Files.readAllLines(folder.resolve(file));
    }

    @Test
    void shouldRecordFromTheInstantThatItWasToldOn() throws IOException {
        folder = Files.createTempDirectory(guest.share(), "cluster-node-");
        KernelModule.load(guest);

        guest.sh(LIMIT, SCRIPT.formatted(folder, AHEAD)).orFail();

        assertThat(lines("answer.txt")).contains("node=n1", "state=idle", "clock=unsynchronised");
        assertThat(text("refused.txt")).contains("refused by n1: nobody disciplines its clock");
        assertOrders();
        JsonObject run = Json.object(text("run.json"));
        assertThat(run.get("state").getAsString()).as("%s", run).isEqualTo("done");
        assertThat(run.get("reason").getAsString()).isEmpty();
        assertThat(Long.parseLong(run.get("opened_ns").getAsString()))
                .isLessThanOrEqualTo(Long.parseLong(run.get("at_ns").getAsString()));
        assertThat(run.get("lost").getAsLong()).isZero();
        assertThat(run.get("events").getAsLong()).isPositive();
        assertThat(Long.parseLong(run.get("cpu_ns").getAsString())).isPositive();
        Markers.assertCut(
                lines("written.txt"),
                lines("events.txt"),
                Long.parseLong(run.get("at_ns").getAsString()),
                Long.parseLong(run.get("end_ns").getAsString()));
        assertThat(lines("exit.txt")).containsExactly("0");
        KernelModule.remove(guest);
    }

    /** An order is sent five times and answered once; each of those that are to be refused was, once. */
    private void assertOrders() throws IOException {
        assertThat(text("sent.txt")).isEqualTo("5");
        assertThat(text("answers.txt")).isEqualTo("1");
        JsonObject node =
                Json.object(text("status.json")).getAsJsonObject("nodes").getAsJsonObject("n1");
        for (String refusal : List.of("bad_mac", "replay", "stale", "short")) {
            assertThat(node.get(refusal).getAsString()).as(refusal).isEqualTo("1");
        }
        assertThat(node.get("version").getAsString()).isEqualTo("0");
    }
}

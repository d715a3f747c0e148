// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Loading and removing the module whatever is going on; the guest's kernel log has to stay clean. */
@GuestTest
final class LifeCycleIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final List<String> POINTS = List.of(
            "inet_sendmsg",
            "udp_sendmsg",
            "ip_send_skb",
            "dev_queue_xmit",
            "netif_receive_skb",
            "ip_local_deliver",
            "udp_rcv",
            "udp_enqueue",
            "skb_consume_udp",
            "tcp_sendmsg",
            "tcp_retransmit_skb",
            "ip_queue_xmit",
            "net_dev_start_xmit",
            "net_dev_xmit",
            "net_dev_receive",
            "tcp_rcv",
            "tcp_rcv_established",
            "tcp_consume",
            "kfree_skb",
            "sched_switch",
            "sched_wakeup",
            "sched_migrate_task",
            "cpu_time",
            "sched_process_fork",
            "sched_process_exec",
            "sched_process_exit",
            "task_rename",
            "task_attach",
            "cgroup_mkdir",
            "cgroup_rmdir",
            "irq_handler_entry",
            "irq_handler_exit",
            "softirq_entry",
            "softirq_exit",
            "page_fault_user",
            "page_fault_kernel",
            "major_fault",
            "mm_vmscan_direct_reclaim_begin",
            "mm_vmscan_direct_reclaim_end",
            "mark_victim",
            "block_rq_issue",
            "block_rq_complete",
            "sys_enter",
            "sys_exit",
            "marker");
    /** One of each kind: hooking all of them takes seconds in a guest. */
    private static final String SOME_POINTS = "-p udp_sendmsg -p dev_queue_xmit -p sched_switch -p softirq_entry";

    private static final String SOME_ON =
            "until [ $(grep -c '^0x.*=on' /sys/kernel/debug/magnet/control/events) = 4 ]; do sleep 0.05; done";
    private static final String ALL_ON = "until [ $(grep -c '^0x.*=on' /sys/kernel/debug/magnet/control/events) = "
            + POINTS.size() + " ]; do sleep 0.1; done";
    private static final String ALL_OFF = "until ! grep -q '=on' /sys/kernel/debug/magnet/control/events && "
            + "! grep -q magnet /sys/kernel/tracing/enabled_functions; do sleep 0.1; done";

    private final Guest guest;

    LifeCycleIT(Guest guest) {
        this.guest = guest;
    }

    @AfterEach
    void remove() {
        guest.sh("if [ -d /sys/module/magnet ]; then rmmod magnet; fi").orFail();
    }

    @Test
    void shouldSwitchEverythingOffWhenAClientIsKilled() {
        KernelModule.load(guest);
        GuestProcess reader =
                guest.start("bash", "-c", "exec build/tools/magnet-read -p " + String.join(" -p ", POINTS));
        guest.sh(ALL_ON).orFail();

        reader.kill();

        guest.sh(ALL_OFF).orFail();
        assertThat(guest.read("/sys/kernel/debug/magnet/control/buffers").lines())
                .hasSize(1);
    }

    @Test
    void shouldRefuseRemovalAndGoOnWhileAFileIsOpen() {
        KernelModule.load(guest);
        GuestProcess reader = guest.start("bash", "-c", "exec build/tools/magnet-read -p udp_sendmsg");
        guest.sh("until grep -q 'reader 1' /sys/kernel/debug/magnet/control/stats; do sleep 0.1; done")
                .orFail();

        GuestResult refused = guest.run("rmmod", "magnet");

        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.stderr()).contains("in use");
        guest.run("build/tools/udp_mix", "1009", "9").orFail();
        reader.signal("INT");
        assertThat(reader.waitFor(LIMIT).orFail().stdout()).contains("udp_sendmsg hits 1009 committed 1009");
    }

    /** Nobody owns the subscriptions, so nobody ends them first: that is left to rmmod, which is asked once. */
    @Test
    void shouldRemoveTheModuleWhilePointsFireAndNobodyReads() {
        removeWhilePointsFire(4);
    }

    @Test
    @Tag("long")
    void shouldRemoveTheModuleTenTimesWhilePointsFireAndNobodyReads() {
        removeWhilePointsFire(10);
    }

    private void removeWhilePointsFire(int times) {
        String file = KernelModule.file(guest.options().kernel()).toString();
        guest.sh(LIMIT, """
                (while :; do build/tools/udp_mix 1009 9; done) >/dev/null &
                traffic=$!
                hits() { grep -o 'udp_sendmsg .* hits [0-9]*' /sys/kernel/debug/magnet/control/stats | awk '{ n += $NF } END { print n }'; }
                for i in $(seq %d); do
                    insmod %s || exit 1
                    build/tools/subscribed -k -p udp_sendmsg -p sched_switch -p irq_handler_entry -p netif_receive_skb -- true || exit 1
                    before=$(hits)
                    until (($(hits) > before + 100)); do sleep 0.05; done
                    rmmod magnet || exit 1
                done
                kill $traffic
                """.formatted(times, file)).orFail();
    }

    @Test
    void shouldSurviveTenCyclesUnderFire() {
        cycles(10);
    }

    @Test
    @Tag("long")
    void shouldSurviveAThousandCyclesUnderFire() {
        cycles(1000);
    }

    /**
     * Each cycle loads the module, hooks points of every kind, and kills the reader: while traffic goes on, the points are
     * unhooked and the module is removed.
     */
    private void cycles(int n) {
        String file = KernelModule.file(guest.options().kernel()).toString();
        guest.sh(LIMIT.multipliedBy(1 + n / 50), """
                (while :; do build/tools/udp_mix 1009 9; done) >/dev/null &
                traffic=$!
                for i in $(seq %d); do
                    insmod %s || exit 1
                    build/tools/magnet-read %s & reader=$!
                    %s
                    kill -KILL $reader
                    wait $reader 2>/dev/null
                    until rmmod magnet 2>/dev/null; do sleep 0.02; done
                done
                kill $traffic
                """.formatted(n, file, SOME_POINTS, SOME_ON))
                .orFail();
        assertThat(guest.sh("dmesg | grep -c 'magnet: version'").stdout().strip())
                .satisfies(count -> assertThat(Integer.parseInt(count)).isGreaterThanOrEqualTo(n));
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.it.slurm;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toUnmodifiableSet;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;

/**
 * Debian's Slurm in a guest: munged, slurmctld, and slurmd for a node with one CPU, which at most two jobs share. Each job has its
 * cgroups in the unified hierarchy, as under systemd. Closing it kills its jobs and its daemons.
 */
public final class SlurmNode implements AutoCloseable {
    private static final String FILES = "integration-tests/slurm/";
    private static final String HIERARCHY = "/sys/fs/cgroup";
    /** Debian builds Slurm for several slurmd on a machine, so the scope has the node's name. */
    private static final String SCOPE = "/system.slice/magnet-guest_slurmstepd.scope";

    private static final Duration START_LIMIT = Duration.ofMinutes(3);
    private static final Duration JOB_LIMIT = Duration.ofMinutes(3);

    /**
     * What maintainer scripts and systemd would have done.
     *
     * <p>slurmd has to be called by its own name, since it takes itself for somebody else otherwise. Its getaddrinfo() finds
     * nothing on a machine whose only address is 127.0.0.1. Slurm 22.05 does not see the last controller of a list, so another one
     * follows those that it needs.
     */
    private static final String PREPARE = """
            for name in slurmctld slurmd slurmstepd; do ln -sf $name-wlm /usr/sbin/$name; done
            ip addr add 127.0.1.1/8 dev lo
            mkdir -p /run/munge /run/slurmctld /run/slurmd
            chown root: /etc/munge /var/lib/munge /var/log/munge
            chmod 700 /etc/munge
            mungekey --create --force
            cp %1$sslurm.conf %1$scgroup.conf /etc/slurm/
            controllers='+cpuset +cpu +io +memory +pids'
            echo $controllers >%2$s/cgroup.subtree_control
            mkdir -p %2$s/system.slice/slurmd.service
            echo $controllers >%2$s/system.slice/cgroup.subtree_control
            """.formatted(FILES, HIERARCHY);

    /** INVOCATION_ID tells slurmd that it is in the cgroup of its service already. */
    private static final String SLURMD =
            "echo $$ >" + HIERARCHY + "/system.slice/slurmd.service/cgroup.procs && INVOCATION_ID=1 exec slurmd -D";

    private final Guest guest;
    private final List<GuestProcess> daemons;

    private SlurmNode(Guest guest, List<GuestProcess> daemons) {
        this.guest = guest;
        this.daemons = daemons;
    }

    /** Starts it, and waits until the node takes jobs. */
    public static SlurmNode start(Guest guest) {
        guest.sh(PREPARE).orFail();
        GuestProcess munged = guest.start("munged", "--foreground");
        await(guest, "munge -n | unmunge >/dev/null", munged);
        GuestProcess slurmctld = guest.start("slurmctld", "-D");
        GuestProcess slurmd = guest.start("bash", "-c", SLURMD);
        await(guest, "[ \"$(sinfo -h -o %T)\" = idle ]", slurmctld, slurmd);
        return new SlurmNode(guest, List.of(munged, slurmctld, slurmd));
    }

    /** Waits until a command succeeds, for as long as the daemons that it takes run. */
    private static void await(Guest guest, String command, GuestProcess... daemons) {
        String pids = Arrays.stream(daemons)
                .map(daemon -> Long.toString(daemon.pid()))
                .collect(joining(" "));
        guest.sh(START_LIMIT, """
                        until %s; do
                            kill -0 %s || { tail -n 20 /run/slurmd.log >&2; exit 1; }
                            sleep 0.2
                        done
                        """.formatted(command, pids)).orFail();
    }

    /**
     * Submits a job of one task, and waits until it runs. Its output goes to {@code /tmp/slurm-JOB.out}.
     *
     * @param script what sbatch gets, with its {@code #!} line
     * @return the job's id
     */
    public long run(String script) {
        String answer = guest.sh(
                        JOB_LIMIT, "sbatch --parsable -n 1 -o /tmp/slurm-%j.out <<'END'\n" + script + "\nEND\n")
                .orFail()
                .stdout();
        long job = Long.parseLong(answer.strip());
        awaitState(job, "RUNNING");
        return job;
    }

    /** Waits until the job has ended by itself, and well. */
    public void awaitEnd(long job) {
        awaitState(job, "COMPLETED");
    }

    private void awaitState(long job, String state) {
        guest.sh(JOB_LIMIT, """
                        until told=$(scontrol -o show job %d) && [[ $told == *" JobState=%s "* ]]; do
                            [[ $told != *@(JobState=@(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL)|_held)* ]] || {
                                echo "$told" >&2
                                tail -n 20 /run/slurmd.log >&2
                                exit 1
                            }
                            sleep 0.2
                        done
                        """.formatted(job, state)).orFail();
    }

    /** The job's processes, as Slurm lists them: its tasks, and the daemons of its steps. */
    public Set<Long> processes(long job) {
        return guest.sh("scontrol listpids " + job)
                .orFail()
                .stdout()
                .lines()
                .skip(1)
                .map(line -> Long.parseLong(line.strip().split(" +", 2)[0]))
                .collect(toUnmodifiableSet());
    }

    /** The job's cgroup, from the root of the hierarchy. */
    public String cgroup(long job) {
        return SCOPE + "/job_" + job;
    }

    /** The CPU time that the kernel has counted for the job, in microseconds. */
    public long cpuMicros(long job) {
        return guest.sh("cat " + HIERARCHY + cgroup(job) + "/cpu.stat")
                .orFail()
                .stdout()
                .lines()
                .filter(line -> line.startsWith("usage_usec "))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                .sum();
    }

    @Override
    public void close() {
        guest.sh("echo 1 >" + HIERARCHY + SCOPE + "/cgroup.kill");
        daemons.forEach(GuestProcess::kill);
    }
}

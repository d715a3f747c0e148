# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# What measurements of programs share that consume events: when they are ready and at rest, and what they have spent.

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# The processor time of these processes, of all their threads, in ns: instructions.
cpu_of() {
    local process
    for process; do
        cat /proc/"$process"/task/*/schedstat
    done | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

# threads_of PROCESS: what each of its threads has spent, in the same, by their names: "NAME,NS".
threads_of() {
    local thread name spent
    for thread in /proc/"$1"/task/*; do
        { name=$(<"$thread/comm") && read -r spent _ <"$thread/schedstat"; } 2>/dev/null || continue
        echo "$name,$spent"
    done
}

# rest PROCESS...: waits until they use less than a twentieth of the processor, and prints their time.
rest() {
    local before after
    after=$(cpu_of "$@")
    while true; do
        before=$after
        sleep 0.3
        after=$(cpu_of "$@")
        ((after - before > 15000000)) || break
    done
    echo "$after"
}

# waits_in CALL PROCESS: until its first thread waits in this system call.
waits_in() {
    local tries=600 times=0
    while ((times < 3)); do
        if [[ $(<"/proc/$2/syscall") == "$1 "* ]]; then times=$((times + 1)); else times=0; fi
        ((tries--)) || fail "$2 does not wait in system call $1"
        sleep 0.1
    done
}

# until_true COMMAND...
until_true() {
    local tries=600
    until "$@" >/dev/null 2>&1; do
        ((tries--)) || fail "waited in vain: $*"
        sleep 0.1
    done
}

STATS=/sys/kernel/debug/magnet/control/stats

# ring_sums BUFFER COUNTER...: from the lines of $STATS, the sums of these counters over all rings of buffers whose names begin so.
ring_sums() {
    awk -v buffer="$1" -v names="${*:2}" '$1 == "ring" && $2 ~ "^" buffer {
            for (i = 4; i < NF; i += 2)
                sum[$i] += $(i + 1)
        }
        END {
            n = split(names, name, " ")
            for (i = 1; i <= n; i++)
                printf "%.0f%s", sum[name[i]], i < n ? " " : "\n"
        }'
}

# What the rings of a buffer have counted: "COMMITTED LOST", events that there was room for, and events that there was none for.
ring_counts() {
    local records told lost
    read -r records told lost < <(ring_sums "$1" records lost_told lost <$STATS)
    echo "$((records - told)) $lost"
}

# The bytes of the files in a folder, or of a file.
size_of() { find "$@" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }'; }

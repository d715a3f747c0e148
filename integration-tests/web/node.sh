# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: Apache-2.0
#
# What the nodes of a cluster share, in a guest: a network card, gmond under the cluster's name, magnet's module and
# service. node and cluster-node source it, from the root of the tree; it runs nothing by itself.

# card MAC: waits for the network card with this address and prints its name.
card() {
    local file
    modprobe virtio_net
    until file=$(grep -lx "$1" /sys/class/net/*/address); do sleep 0.1; done
    basename "$(dirname "$file")"
}

# QEMU gives the card at which gmond is asked from outside (harness/boot --forward) this one.
FORWARDED=52:54:00:12:34:56
# And this is what the port is forwarded to, in QEMU's own network, which leads nowhere else.
FORWARDED_ADDRESS=10.0.2.15

# set_up CARD ADDRESS
set_up() {
    ip link set "$1" up
    ip address add "$2/24" dev "$1"
}

# Filter for a gmond.conf: the cluster gets the name that web/serve gives to gmetad and the front end.
name_cluster() { sed -E 's/^( *name = )"(unspecified|my cluster)"/\1"magnet demo"/'; }

# The buffers are large because an emulated processor may stand still for a second. System calls are left out: what uses
# CPU in the workload asks for its CPU time in a loop, a million times each second. At level full there are figures of jobs.
configure_magnet() {
    local level=$1
    install -D -m 644 gmond-conf/magnet.conf /etc/ganglia/conf.d/magnet.conf
    install -D -m 644 sensor-java/conf/magnet.conf /etc/magnet/magnet.conf
    sed -i -e "s/^level = .*/level = $level/" -e 's/^buffer-size = .*/buffer-size = 16M/' \
        -e 's/^syscalls = .*/syscalls = off/' /etc/magnet/magnet.conf
    if [[ $level == full ]]; then
        sed -i 's/^jobs = off/jobs = on/' /etc/magnet/magnet.conf
    fi
}

start_gmond() { gmond -f -c /etc/ganglia/gmond.conf & }

# magnetd's log is kept, too, for who waits for something in it.
MAGNETD_LOG=/run/magnetd.log
start_magnet() {
    insmod "build/kmod/$(basename "$MAGNET_KERNEL")/magnet.ko"
    integration-tests/harness/guest-service sensor-java/bin/magnetd 2>&1 | tee "$MAGNETD_LOG" >&2 &
}

# await_in_gmond HOST: until this node's gmond has metrics of magnet's of a host.
await_in_gmond() {
    until sed -n "/<HOST NAME=\"$1\"/,/<\/HOST>/p" <"/dev/tcp/127.0.0.1/8649" | grep 'NAME="magnet_'; do
        sleep 0.5
    done >/dev/null 2>&1
}

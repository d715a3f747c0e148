# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# What the package of a module for one kernel does before it is removed; both kinds of packages run it.
if [ "$(uname -r)" = "@KERNEL@" ] && [ -e /sys/module/magnet ]; then
    # Not modprobe: what it would look for may be gone. The second module keeps the first one loaded.
    [ ! -e /sys/module/magnet_gtrace ] || { umount -q /proc/gtrace; rmmod magnet_gtrace; } 2>/dev/null || true
    rmmod magnet 2>/dev/null ||
        echo "magnet-module: somebody reads from the module; it stays loaded until \"rmmod magnet\" or the next boot" >&2
fi

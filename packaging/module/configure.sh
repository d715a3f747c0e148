# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# What the package of a module for one kernel says when it is installed; both kinds of packages run it.
# A kernel that wants signatures refuses a module whose signer it does not know. That is tried now, when somebody looks.
KERNEL=@KERNEL@
CERTIFICATE=/usr/share/@PACKAGE@/certificate.der

try_module() {
    if said=$(modprobe magnet 2>&1); then
        modprobe -r magnet 2>/dev/null || true
        return
    fi
    echo "magnet-module: the module cannot be loaded: $said" >&2
    case $said in
        *Key\ * | *key\ * | *ermitted*) ;;
        *) return ;;
    esac
    if [ -e "$CERTIFICATE" ]; then
        cat >&2 <<TEXT
magnet-module: this machine's kernel takes only modules that are signed with a key that it trusts (Secure Boot). Let the
    machine trust the key that this one is signed with:
        mokutil --import $CERTIFICATE
    then restart it, confirm in the dialogue that the firmware shows, and the service will run.
TEXT
    else
        echo "magnet-module: this module is not signed, and the kernel takes only modules that are (Secure Boot)" >&2
    fi
}

# Another kernel will be booted with it.
if [ "$(uname -r)" = "$KERNEL" ]; then
    if [ ! -e /sys/module/magnet ]; then
        try_module
    elif [ "$(modinfo -F srcversion magnet)" != "$(cat /sys/module/magnet/srcversion)" ]; then
        cat <<TEXT
magnet-module: the running kernel still has the module of before. The new one counts from the next boot on, or now by:
        magnet unload && modprobe magnet && systemctl restart magnetd
TEXT
    fi
fi

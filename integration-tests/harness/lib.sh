# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: Apache-2.0
#
# What every script of the harness shares: where things are, how progress and failure are told, and the
# way to Debian's packages. Source it; it runs nothing by itself.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
HARNESS=$ROOT/integration-tests/harness
BUILD=$ROOT/build
CACHE=${MAGNET_CACHE:-$BUILD/cache}
LOGS=$BUILD/log
# The Debian release that the host is, whose kernel is the default one, and whose gmond runs in the guest.
DEFAULT_KERNEL=6.1

mkdir -p "$CACHE" "$LOGS"

say() { printf '%s\n' "$*" >&2; }

die() {
    say "${0##*/}: $*"
    exit 1
}

# A dot every ten seconds, for as long as the script lives.
tick() {
    while sleep 10 && kill -0 $$ 2>/dev/null; do
        printf ". " >&2
    done
}

# step LOG TEXT COMMAND...: runs the command with its output in LOG (appended); says what runs and how long
# it took. On failure shows the log's last lines and ends the script.
step() {
    local log=$1 text=$2 start=$SECONDS status ticker
    shift 2
    printf '  %s ... ' "$text" >&2
    tick &
    ticker=$!
    # Not "if COMMAND": that would switch errexit off inside it.
    set +e
    (set -e; "$@") >>"$log" 2>&1
    status=$?
    set -e
    kill "$ticker"
    wait "$ticker" 2>/dev/null || true
    if ((status == 0)); then
        say "$((SECONDS - start)) s"
        return
    fi
    say "FAILED after $((SECONDS - start)) s"
    why "$log" 15 | sed "s/^/    | /" >&2
    die "$text failed; the whole log is $log"
}

# why LOG LINES: what of a log tells why a command failed. Maven puts its errors before a page of advice.
why() {
    if grep -qE "^\[ERROR\] ." "$1"; then
        grep -E "^\[ERROR\] .|^  (symbol|location):" "$1" |
            grep -vE "\[Help 1\]|re-run Maven|Re-run Maven|For more information|After correcting|mvn <args>" | tail -n "$2"
    else
        tail -n "$2" "$1"
    fi
}

# tree_of PATH...: what the files below the current folder are that belong to its tree: their texts, and whether they can be
# run or are links. Other rights hang on the umask of who made the clone. A file that git knows of and that is gone counts by
# the complaint of it.
tree_of() {
    local list=(git ls-files -z --cached --others --exclude-standard -- "$@")
    "${list[@]}" | sort -z | xargs -0 sha256sum -- || true
    "${list[@]}" | sort -z | xargs -0 stat -c '%A %N' -- | sed -E 's/^(.)..(.)[^ ]*/\1\2/' || true
}

# locked FILE: waits for, and then holds until the script ends, the lock that guards FILE's making.
locked() {
    mkdir -p "$(dirname "$1")"
    exec {LOCK_FD}>"$1.lock"
    flock "$LOCK_FD"
}

need_root() {
    [[ $(id -u) -eq 0 ]] || die "must run as root: it $1"
}

need_command() {
    local command
    for command; do
        command -v "$command" >/dev/null || die "$command is missing; run 'make setup' (as root) first"
    done
}

# Machines that were installed long ago have package lists past their date; they still serve. The sandbox
# user of apt may not write into the cache, and another apt may hold the lock for a while; not all of apt waits for that.
apt() {
    flock -o "$CACHE/apt.lock" apt-get -q -y -o Acquire::Check-Valid-Until=false -o Acquire::Retries=3 \
        -o APT::Sandbox::User=root -o DPkg::Lock::Timeout=600 "$@"
}

# A repository of the machine that has nothing to do with Debian may fail to update; what counts is whether
# the package is found afterwards.
apt_update() {
    apt update || echo "apt-get update reported an error; going on with what it has"
}

# with_fresh_lists COMMAND...: runs the command; if it fails, updates the package lists once and runs it again.
with_fresh_lists() {
    "$@" && return
    need_root "updates apt's package lists"
    apt_update
    "$@"
}

# use_suite LOG SUITE [ARCH]: from here on apt knows this suite alone, of amd64 and ARCH, from the machine's own
# mirror, apart from the machine's own lists; and no package is installed.
use_suite() {
    local log=$1 suite=$2 state=$CACHE/apt/$2 mirror
    [[ ${3:-amd64} == amd64 ]] || state+=-$3
    # shellcheck disable=SC2016 # apt expands it
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Origin: Debian' | sed -n 1p)
    [[ $mirror ]] || mirror=http://deb.debian.org/debian
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
    cat >"$state/apt.conf" <<CONF
Dir::Etc::sourcelist "$state/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$state/lists";
Dir::State::status "$state/status";
Dir::Cache "$state/cache";
APT::Architecture "amd64";
APT::Architectures { "amd64"; "${3:-amd64}"; };
CONF
    : >"$state/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$state/sources.list"
    export APT_CONFIG=$state/apt.conf
    step "$log" "reading the package lists of $(basename "$state")" apt update
}

# download_debs FOLDER PACKAGE[=VERSION]...: puts the packages' .deb files into FOLDER.
download_debs() {
    local folder=$1
    shift
    mkdir -p "$folder"
    (cd "$folder" && apt download "$@")
}

# download_closure FOLDER [OPTION...] PACKAGE...: the same with all that they depend on. Only after use_suite.
download_closure() {
    local folder=$1
    shift
    mkdir -p "$folder/partial"
    apt install --no-install-recommends --download-only -o Dir::Cache::archives="$folder" "$@"
}

# closure FOLDER PACKAGE...: the packages that apt would install on a machine that has none. FOLDER is for a file of its own.
closure() {
    local folder=$1
    shift
    : >"$folder/none"
    apt -s --no-install-recommends -o Dir::State::status="$folder/none" install "$@" |
        awk '$1 == "Inst" { print $2 }' | sort
}

# beyond_base FOLDER PACKAGE...: what these need that a Debian with our build tools is not sure to have. Asking apt for
# both sets on an empty machine keeps the answer the same whatever else this host happens to have.
beyond_base() {
    local -a base
    mapfile -t base < <("$HARNESS/install-build-tools" --list)
    closure "$1" '?essential' '?priority(required)' "${base[@]}" >"$1/base"
    closure "$@" >"$1/all"
    comm -13 "$1/base" "$1/all"
}

# unpack_debs FOLDER DEBS: unpacks the .deb files in DEBS into FOLDER; their maintainer scripts do not run. The host's
# /bin and /lib are links into /usr: a real folder of that name would hide all of the host's where FOLDER is laid over
# it, so the links are there first and are followed.
unpack_debs() {
    local folder deb
    mkdir -p "$1"/usr/{bin,sbin,lib,lib64}
    for folder in bin sbin lib lib64; do
        ln -s "usr/$folder" "$1/$folder"
    done
    for deb in "$2"/*.deb; do
        dpkg --fsys-tarfile "$deb" | tar -x -C "$1" --keep-directory-symlink
    done
}

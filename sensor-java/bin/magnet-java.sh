# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# What both launchers share: finds the jars and starts the class $MAIN. Sourced with "$@" intact.
#
# The jars are looked for beside this folder: in lib/ where magnet is installed (/usr/share/magnet/bin and
# /usr/share/magnet/lib), in target/lib/ in a build tree.

name=${0##*/}
bin=$(dirname "$(readlink -f "$0")")
for lib in "$bin/../lib" "$bin/../target/lib" ""; do
    [ -r "$lib/magnet.jar" ] && break
done
if [ -z "$lib" ]; then
    echo "$name: no magnet.jar in $bin/../lib nor in $bin/../target/lib; in a build tree run: make java" >&2
    exit 1
fi

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if ! command -v "$java" >/dev/null; then
    echo "$name: no Java found ($java); install a Java runtime, at least 17" >&2
    exit 1
fi

# What comes with another package stands behind the sensor, as the archive of classes below wants it. That one is of the sensor
# alone: it has to fit when the other package goes.
jars=$lib/magnet.jar
[ "${SENSOR_ALONE:-}" ] || [ ! -r "$lib/magnet-cluster.jar" ] || jars=$jars:$lib/magnet-cluster.jar

# What depends on the machine lies in native/. JNA's library does, so that nothing has to be unpacked into a home or
# /tmp that may be read-only or noexec. For a machine without one here JNA falls back to unpacking.
case $(uname -m) in
x86_64) native=$lib/native/x86-64 ;;
aarch64) native=$lib/native/aarch64 ;;
*) native= ;;
esac
if [ -r "$native/libjnidispatch.so" ]; then
    set -- "-Djna.nounpack=true" "-Djna.boot.library.path=$native" "-cp" "$jars" "$MAIN" "$@"
else
    set -- "-cp" "$jars" "$MAIN" "$@"
fi

# Where help texts send their readers.
case $lib in
"$bin/../lib") docs=/usr/share/doc/magnet-sensor/docs ;;
*) docs=${bin%/*/*}/docs ;;
esac
[ ! -d "$docs" ] || set -- "-Dmagnet.docs=$docs" "$@"

# Written by magnet-class-archive; the JVM passes it over if it is of other jars or another Java. At the address that it
# was written for it is mapped as it is; anywhere else all of it would be changed, and so be read and be memory of its own.
if [ -r "$lib/native/magnet.jsa" ]; then
    set -- "-XX:SharedArchiveFile=$lib/native/magnet.jsa" -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 "$@"
fi

# Arenas of malloc cost memory for each thread. What the compilers needed for a moment goes back once in a while.
: "${MALLOC_ARENA_MAX:=2}"
export MALLOC_ARENA_MAX

# shellcheck disable=SC2086 # options are words
exec "$java" -XX:+UseSerialGC -Xms8m -Xmn2m -Xmx96m -Xss256k -XX:ReservedCodeCacheSize=24m -XX:-UsePerfData \
    -XX:+ExitOnOutOfMemoryError -XX:+IgnoreUnrecognizedVMOptions -XX:TrimNativeHeapInterval=10000 \
    --enable-native-access=ALL-UNNAMED $JVM_OPTIONS ${MAGNET_JAVA_OPTS:-} "$@"

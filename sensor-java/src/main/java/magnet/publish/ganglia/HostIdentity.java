// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The host that gmond books our packets to.
 *
 * <p>Derived exactly as gmetric does, or the node appears twice: without an override the kernel's host name, unspoofed;
 * with {@code override_hostname} the spoof string {@code ip:name}, where the override's name stands in for a missing
 * {@code override_ip}. Immutable.
 *
 * @param host the string in each packet's metric id
 * @param spoof whether gmond shall take the host from that string instead of the packet's source
 */
public record HostIdentity(String host, boolean spoof) {
    private static final Path HOSTNAME = Path.of("/proc/sys/kernel/hostname");

    /**
     * The identity without any override: the kernel's host name, which is what gethostname(2) gives.
     *
     * @throws IOException if the kernel does not tell it
     */
    static HostIdentity machine() throws IOException {
        return new HostIdentity(Files.readString(HOSTNAME).trim(), false);
    }

    /** The identity of a machine of that name. */
    static HostIdentity of(GmondConfig config, String hostname) {
        return config.overrideHostname()
                .map(name -> new HostIdentity(config.overrideIp().orElse(name) + ":" + name, true))
                .orElseGet(() -> new HostIdentity(hostname, false));
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.summary.Machine;

/** The network devices of this process's own namespace, as gmond looks at them. Immutable. */
public final class NetworkDevices {
    private static final Pattern NAMESPACE = Pattern.compile("net:\\[(\\d{1,18})]");
    /** The loopback has this index in each namespace, also where it cannot be looked up. */
    private static final int LOOPBACK = 1;

    private final Path namespace;
    private final Path devices;

    /**
     * @param proc where proc is mounted
     * @param devices a folder for each device, with its file uevent
     */
    public NetworkDevices(Path proc, Path devices) {
        this.namespace = proc.resolve("self/ns/net");
        this.devices = devices;
    }

    /** Looks all of them up. */
    public Machine.NetworkNamespace network() {
        Set<Integer> leftOut = new HashSet<>(Set.of(LOOPBACK));
        try (DirectoryStream<Path> all = Files.newDirectoryStream(devices)) {
            for (Path device : all) {
                Map<String, String> facts = facts(device.resolve("uevent"));
                String index = facts.getOrDefault("IFINDEX", "");
                if (isLeftOut(device.getFileName().toString(), facts) && index.matches("\\d{1,9}")) {
                    leftOut.add(Integer.valueOf(index));
                }
            }
        } catch (IOException e) {
            // Then the loopback is all that is known to be left out.
        }
        return new Machine.NetworkNamespace(namespace(), leftOut);
    }

    /** As gmond does: by the beginning of the name, and VLANs. */
    private static boolean isLeftOut(String name, Map<String, String> facts) {
        return name.startsWith("lo") || name.startsWith("bond") || "vlan".equals(facts.get("DEVTYPE"));
    }

    private long namespace() {
        try {
            Matcher matcher =
                    NAMESPACE.matcher(Files.readSymbolicLink(namespace).toString());
            return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    private static Map<String, String> facts(Path file) {
        Map<String, String> facts = new HashMap<>();
        try {
            for (String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
                int equals = line.indexOf('=');
                if (equals > 0) {
                    facts.put(line.substring(0, equals), line.substring(equals + 1));
                }
            }
        } catch (IOException e) {
            // It has just gone.
        }
        return facts;
    }
}

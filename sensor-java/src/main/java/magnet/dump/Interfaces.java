// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The network devices of this process's own namespace, by their index; one that came later is looked for when it is first
 * asked for. Those of other namespaces have no name here. For one thread.
 */
public final class Interfaces {
    private static final Pattern NAMESPACE = Pattern.compile("net:\\[(\\d{1,18})]");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

    /**
     * A device.
     *
     * @param index its number in its namespace
     * @param name what it is called
     * @param type the kernel's ARPHRD_*
     */
    public record Device(int index, String name, int type) {}

    private final Path devices;
    private final long namespace;
    private final Map<Integer, Device> byIndex = new HashMap<>();

    /**
     * @param proc where proc is mounted
     * @param devices the folder with a folder for each device: /sys/class/net
     */
    public Interfaces(Path proc, Path devices) {
        this.devices = devices;
        this.namespace = namespaceOf(proc.resolve("self/ns/net"));
        look();
    }

    /** The inode of this process's network namespace; 0 if it cannot be told. */
    public long namespace() {
        return namespace;
    }

    /** The names of those that there are now, in their order. */
    public List<String> names() {
        look();
        TreeSet<String> names = new TreeSet<>();
        byIndex.values().forEach(device -> names.add(device.name()));
        return List.copyOf(names);
    }

    /** The index of the device of this name. */
    public OptionalInt index(String name) {
        look();
        return byIndex.values().stream()
                .filter(device -> device.name().equals(name))
                .mapToInt(Device::index)
                .findFirst();
    }

    /** The name of the device of an index; empty if there is none. */
    public Optional<String> name(int index) {
        if (!byIndex.containsKey(index)) {
            look();
        }
        return Optional.ofNullable(byIndex.get(index)).map(Device::name);
    }

    /**
     * The device of an index.
     *
     * @param inode its namespace; 0 if that is not known, when it is taken for this one
     */
    Device device(int index, long inode) {
        if (inode != 0 && namespace != 0 && inode != namespace) {
            return new Device(index, "if" + index + "@" + inode, CookedHeader.TYPE_UNKNOWN);
        }
        Device device = byIndex.get(index);
        if (device == null) {
            look();
            device = byIndex.computeIfAbsent(index, each -> new Device(each, "if" + each, CookedHeader.TYPE_UNKNOWN));
        }
        return device;
    }

    private void look() {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(devices)) {
            for (Path device : all) {
                int index = number(device.resolve("ifindex"));
                int type = number(device.resolve("type"));
                if (index > 0) {
                    byIndex.put(
                            index,
                            new Device(
                                    index,
                                    device.getFileName().toString(),
                                    type < 0 ? CookedHeader.TYPE_UNKNOWN : type));
                }
            }
        } catch (IOException e) {
            // Then they have numbers, and no names.
        }
    }

    private static int number(Path file) {
        try {
            String text = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
            return NUMBER.matcher(text).matches() ? Integer.parseInt(text) : -1;
        } catch (IOException e) {
            return -1;
        }
    }

    private static long namespaceOf(Path link) {
        try {
            Matcher matcher = NAMESPACE.matcher(Files.readSymbolicLink(link).toString());
            return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
        } catch (IOException e) {
            return 0;
        }
    }
}

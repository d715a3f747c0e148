// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import magnet.metric.MetricSnapshot;
import magnet.publish.server.Ports;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's answers. A category of /proc is read when it is asked for, and not again within {@value #KEEP_MILLIS} ms, however
 * many ask. For one thread.
 */
final class Samples implements Source {
    /** Supermon's fastest element is read a hundred times a second. */
    static final int KEEP_MILLIS = 5;

    private static final Logger LOGGER = LoggerFactory.getLogger(Samples.class);

    /** A category, or what kept it from being read, and since when. */
    private record Kept(Optional<Category> category, long nanos) {}

    private final ReplyFormat format;
    private final SampledHost node;
    private final ProcCategories proc;
    private final Supplier<Optional<MetricSnapshot>> snapshots;
    private final LongSupplier nanoClock;
    private final HandedIn handedIn;
    private final Optional<MonHole> hole;
    private @Nullable Ports ports;
    private final Map<StandardCategory, Kept> kept = new EnumMap<>(StandardCategory.class);
    private final List<StandardCategory> complained = new ArrayList<>();

    /** Without a MonHole. */
    Samples(
            ReplyFormat format,
            SampledHost node,
            ProcCategories proc,
            Supplier<Optional<MetricSnapshot>> snapshots,
            LongSupplier nanoClock) {
        this(format, node, proc, snapshots, Optional.empty(), nanoClock);
    }

    /**
     * With all there is.
     *
     * @param snapshots the newest snapshot, as long as it is true
     * @param hole where programs hand in values of their own; nowhere if empty
     */
    Samples(
            ReplyFormat format,
            SampledHost node,
            ProcCategories proc,
            Supplier<Optional<MetricSnapshot>> snapshots,
            Optional<Path> hole,
            LongSupplier nanoClock) {
        this.format = format;
        this.node = node;
        this.proc = proc;
        this.snapshots = snapshots;
        this.nanoClock = nanoClock;
        this.handedIn = new HandedIn(nanoClock);
        this.hole = hole.map(path -> new MonHole(path, handedIn));
    }

    @Override
    public void sample(long mask, Consumer<byte[]> to) {
        to.accept(bytes(sample(mask)));
    }

    @Override
    public void describe(long mask, Consumer<byte[]> to) {
        to.accept(bytes(description(mask)));
    }

    /** There is nobody to connect to. */
    @Override
    public void reconnect() {}

    @Override
    public void start(Ports servers) {
        ports = servers;
        openHole(nanoClock.getAsLong());
    }

    private void openHole(long nowNanos) {
        Ports servers = ports;
        if (servers != null) {
            hole.ifPresent(each -> each.open(servers, nowNanos));
        }
    }

    @Override
    public long work(long nowNanos) {
        openHole(nowNanos);
        return NOTHING_DUE;
    }

    /** A sample of the categories in the mask, in the order of their bits. */
    String sample(long mask) {
        return format.sample(node, categories(mask));
    }

    /** What these categories are. */
    String description(long mask) {
        return ReplyFormat.description(categories(mask));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<Category> categories(long mask) {
        List<Category> categories = new ArrayList<>();
        for (StandardCategory each : StandardCategory.values()) {
            if ((format.bit(each) & mask) != 0) {
                standard(each).ifPresent(categories::add);
            }
        }
        snapshots.get().ifPresent(snapshot -> categories.addAll(SensorCategories.of(snapshot, mask)));
        if ((HandedIn.BIT & mask) != 0) {
            handedIn.category().ifPresent(categories::add);
        }
        categories.sort(Comparator.comparingLong(Category::bit));
        return categories;
    }

    private Optional<Category> standard(StandardCategory which) {
        long now = nanoClock.getAsLong();
        Kept last = kept.get(which);
        if (last == null || now - last.nanos >= TimeUnit.MILLISECONDS.toNanos(KEEP_MILLIS)) {
            last = new Kept(read(which), now);
            kept.put(which, last);
        }
        return last.category;
    }

    private Optional<Category> read(StandardCategory which) {
        try {
            return Optional.of(proc.read(which, format.bit(which)));
        } catch (IOException e) {
            if (!complained.contains(which)) {
                complained.add(which);
                LOGGER.warn("supermon: {}; samples go without it", e.toString());
            }
            return Optional.empty();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;
import magnet.record.WordKind;
import magnet.record.Words;
import org.jspecify.annotations.Nullable;

/**
 * Reads a saved trace, or the parts of one, and hands its records on in the order of their timers. Where the timer jumped or
 * began anew, as after a suspend, a CLOCK record in each CPU's file says so: then all of the old epoch comes first,
 * {@link RecordHandler#onNewEpoch} is called.
 *
 * <p>Traces of {@code magnet read -o} and of {@code magnet-read -c} are read alike. {@link #read} allocates nothing per
 * record. Memory: about 16 MiB over all CPUs. For one thread.
 */
public final class TraceReader implements AutoCloseable {
    private static final Pattern STREAM = Pattern.compile("cpu(0|[1-9]\\d{0,3})");
    private static final Pattern PART = Pattern.compile("\\d{6,9}");
    private static final int CPUS_MAX = 1_024;
    private static final int ALL_WINDOWS_BYTES = 16 << 20;
    private static final int WINDOW_BYTES_MIN = 32 << 10;
    private static final int WINDOW_BYTES_MAX = 256 << 10;

    private final Path folder;
    private final List<Path> parts;
    private final MetadataReader.Content first;
    private final SortedMap<Integer, EventFormat> events = new TreeMap<>();
    private final Map<Integer, String> processNames = new HashMap<>();
    /** Of those that parts call differently, or that one of them is not sure of, with an empty name. */
    private final Map<Integer, String> sureNames = new HashMap<>();

    private @Nullable TraceOwners owners;
    private boolean ownersKnown = true;

    private final List<TraceStream> streams = new ArrayList<>();
    private final List<String> unread = new ArrayList<>();
    private TraceStream[] heap = new TraceStream[0];
    private int live;
    /** Those whose next record is of an epoch that has not begun. */
    private final List<TraceStream> ahead = new ArrayList<>();

    private int epoch;
    private boolean epochKnown;
    private int jumps;

    private static final String UNSURE = "";

    private TraceReader(Path folder, List<Path> parts, MetadataReader.Content first) {
        this.folder = folder;
        this.parts = parts;
        this.first = first;
    }

    /**
     * Opens a trace.
     *
     * @param folder has {@code metadata}, or folders that have, as rotation makes them
     * @throws TraceFormatException if there is no trace that magnet wrote
     */
    public static TraceReader open(Path folder) throws IOException {
        List<Path> folders = parts(folder);
        TraceReader reader = null;
        SortedMap<Integer, List<TraceStream.Part>> files = new TreeMap<>();
        RecordFormats formats = null;
        for (Path each : folders) {
            MetadataReader.Content content = metadata(each);
            if (formats == null || !formats.describesAs(content.formats())) {
                formats = content.formats();
            }
            if (reader == null) {
                reader = new TraceReader(folder, folders, content);
            }
            reader.checkBelongs(content, each);
            for (EventFormat event : content.formats().events()) {
                reader.events.putIfAbsent(event.id(), event);
            }
            reader.addNames(content.processNames());
            reader.addOwners(content.owners());
            reader.addFiles(each, formats, files);
        }
        if (reader == null) {
            throw new TraceFormatException(folder + " has no trace: there is no file 'metadata'" + tracesBelow(folder));
        }
        int window = Math.max(
                WINDOW_BYTES_MIN,
                Math.min(WINDOW_BYTES_MAX, ALL_WINDOWS_BYTES / Math.max(1, files.size())) & -WINDOW_BYTES_MIN);
        for (Map.Entry<Integer, List<TraceStream.Part>> cpu : files.entrySet()) {
            reader.streams.add(new TraceStream(cpu.getKey(), cpu.getValue(), window));
        }
        return reader;
    }

    /** A run of a cluster has a folder with a trace for each node: which they are, for whoever named the run. */
    private static String tracesBelow(Path folder) throws IOException {
        List<String> below = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, Files::isDirectory)) {
            for (Path each : found) {
                if (isIn(each)) {
                    below.add(String.valueOf(each.getFileName()));
                }
            }
        }
        below.sort(null);
        return below.isEmpty() ? "" : "; name one of those below it: " + String.join(", ", below);
    }

    /** Whether there is a trace in a folder, or parts of one. */
    public static boolean isIn(Path folder) throws IOException {
        return !parts(folder).isEmpty();
    }

    /** Where it is. */
    Path folder() {
        return folder;
    }

    /** The folders of its parts, in their order; the trace's own if it has none. */
    List<Path> parts() {
        return Collections.unmodifiableList(parts);
    }

    /** Tells of files and packets while it reads. */
    void listen(PacketListener listener) {
        streams.forEach(stream -> stream.listen(listener));
    }

    /** The layout that all records have. */
    public RecordLayout layout() {
        return first.formats().layout();
    }

    /** What their timers are in the time of day. */
    public TraceClock clock() {
        return first.clock();
    }

    /** The machine that they come from. */
    public String host() {
        return first.host();
    }

    /** The architecture of that machine, as {@code uname -m} calls it; empty if the trace does not say. */
    public String machine() {
        return first.machine();
    }

    /** What the flight recorder that it was saved from had given up by then; empty if it is of none. */
    public Optional<Overwritten> overwritten() {
        return first.overwritten();
    }

    /** What numbers in its records mean, as far as the trace says it and all kernels agree. */
    public Words words() {
        return first.words();
    }

    /** What its kernel calls its reasons to drop a packet, by number; empty if the trace does not say. */
    public Map<Integer, String> dropReasons() {
        Map<Integer, String> reasons = new HashMap<>();
        words().of(WordKind.DROP_REASON).forEach((number, word) -> reasons.put(number.intValue(), word));
        return reasons;
    }

    private void addNames(Map<Integer, String> ofPart) {
        ofPart.forEach((process, name) -> {
            if (!name.isEmpty()) {
                processNames.put(process, name);
            }
            sureNames.merge(process, name, (before, now) -> before.equals(now) ? now : UNSURE);
        });
    }

    private void addOwners(Optional<TraceOwners> ofPart) {
        ownersKnown &= ofPart.isPresent();
        if (ofPart.isPresent()) {
            owners = owners == null ? ofPart.get() : owners.withPart(ofPart.get());
        }
    }

    /** What it says of owners beside its records; empty if it does not tell them. */
    public Optional<TraceOwners> owners() {
        return ownersKnown ? Optional.ofNullable(owners) : Optional.empty();
    }

    /** Names of processes, byte by byte as they gave them to themselves; of those that the trace names. */
    public Map<Integer, String> processNames() {
        return Collections.unmodifiableMap(processNames);
    }

    /** Those of processes that had no other name while the trace was saved but those that its records tell. */
    public Map<Integer, String> sureNames() {
        Map<Integer, String> sure = new HashMap<>(sureNames);
        sure.values().removeIf(UNSURE::equals);
        return sure;
    }

    /** CPUs that there are files of. */
    public int cpus() {
        return streams.size();
    }

    /** Name of an event. */
    public String eventName(int id) {
        EventFormat event = events.get(id);
        return event == null ? "event_0x%03x".formatted(id) : event.name();
    }

    /** The descriptions of all events. */
    public Iterable<EventFormat> events() {
        return Collections.unmodifiableCollection(events.values());
    }

    /**
     * Hands on all records, once.
     *
     * @return how many
     */
    public long read(RecordHandler handler) throws IOException {
        return read(handler, () -> false);
    }

    /**
     * Hands on records, once, until there were enough. What is behind is not read.
     *
     * @param isEnough asked after each record
     * @return how many
     */
    public long read(RecordHandler handler, BooleanSupplier isEnough) throws IOException {
        heap = new TraceStream[streams.size()];
        live = 0;
        ahead.clear();
        for (TraceStream stream : streams) {
            if (stream.next()) {
                ahead.add(stream);
            }
        }
        int cpus = 0;
        for (TraceStream stream : streams) {
            cpus = Math.max(cpus, stream.cpu() + 1);
        }
        long count = 0;
        enterOldest();
        count += readEpoch(handler, isEnough);
        while (!ahead.isEmpty() && !isEnough.getAsBoolean()) {
            jumps++;
            handler.onNewEpoch(cpus);
            enterOldest();
            count += readEpoch(handler, isEnough);
        }
        return count;
    }

    /** How often the timer jumped or began anew between the first record and the last that was read. */
    public int jumps() {
        return jumps;
    }

    private long readEpoch(RecordHandler handler, BooleanSupplier isEnough) throws IOException {
        long count = 0;
        while (live > 0) {
            TraceStream stream = heap[0];
            long until = secondTimer();
            boolean more;
            do {
                handler.onRecord(stream.record());
                count++;
                if (isEnough.getAsBoolean()) {
                    return count;
                }
                more = stream.next();
            } while (more && stream.timer() <= until && !isAhead(stream));
            boolean away = more && isAhead(stream);
            if (away) {
                ahead.add(stream);
            }
            if (away || !more) {
                heap[0] = heap[--live];
            }
            siftDown();
        }
        return count;
    }

    /** Whether its next record is of a younger epoch. The first CLOCK record of all says which one it is that is read. */
    private boolean isAhead(TraceStream stream) {
        if (!stream.knowsEpoch()) {
            return false;
        }
        if (!epochKnown) {
            epoch = stream.epoch();
            epochKnown = true;
        }
        return stream.epoch() - epoch > 0;
    }

    /** Goes on in the oldest epoch that any is ahead in. What does not say of which it is, is of the first. */
    private void enterOldest() {
        epochKnown = false;
        for (TraceStream stream : ahead) {
            if (stream.knowsEpoch() && (!epochKnown || stream.epoch() - epoch < 0)) {
                epoch = stream.epoch();
                epochKnown = true;
            }
        }
        ahead.stream().filter(stream -> !isAhead(stream)).forEach(this::add);
        ahead.removeIf(stream -> !isAhead(stream));
    }

    /** What was wrong with the files, of each CPU with which anything was. */
    public List<TraceDefects> defects() {
        return streams.stream()
                .map(TraceStream::defects)
                .flatMap(Optional::stream)
                .toList();
    }

    /** Files of CPUs that there are and that cannot be read, in order: each with the reason, in a line. */
    public List<String> unread() {
        return unread.stream().sorted().toList();
    }

    @Override
    public void close() throws IOException {
        for (TraceStream stream : streams) {
            stream.close();
        }
    }

    private static List<Path> parts(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw Files.exists(folder)
                    ? new FileSystemException(
                            folder.toString(), null, "it is a file; a trace is the folder that it was saved in")
                    : new NoSuchFileException(folder.toString(), null, "there is no such folder");
        }
        if (Files.exists(folder.resolve(MetadataFile.NAME))) {
            return List.of(folder);
        }
        List<Path> parts = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path each : files) {
                if (PART.matcher(each.getFileName().toString()).matches()
                        && Files.exists(each.resolve(MetadataFile.NAME))) {
                    parts.add(each);
                }
            }
        }
        parts.sort(null);
        return parts;
    }

    private static MetadataReader.Content metadata(Path folder) throws TraceFormatException {
        String text = new String(MetadataFile.read(folder), StandardCharsets.ISO_8859_1);
        return MetadataReader.read(text, folder.resolve(MetadataFile.NAME).toString());
    }

    /** The timers of parts can be compared only if one clock made them. */
    private void checkBelongs(MetadataReader.Content content, Path folder) throws TraceFormatException {
        TraceClock clock = content.clock();
        if (content.formats().layout() != layout()
                || clock.ticksPerSecond() != clock().ticksPerSecond()
                || !clock.description().equals(clock().description())
                || !content.host().equals(host())) {
            throw new TraceFormatException(
                    folder + " is of another run than the folders before it; report them one by one");
        }
    }

    private void addFiles(Path folder, RecordFormats formats, SortedMap<Integer, List<TraceStream.Part>> files)
            throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder)) {
            for (Path file : found) {
                Matcher matcher = STREAM.matcher(file.getFileName().toString());
                if (!matcher.matches()) {
                    continue;
                }
                String why = whyUnread(file);
                if (why != null) {
                    unread.add(file + ": " + why);
                } else {
                    files.computeIfAbsent(Integer.parseInt(matcher.group(1)), cpu -> new ArrayList<>())
                            .add(new TraceStream.Part(file, formats));
                }
            }
        }
        if (files.size() > CPUS_MAX) {
            throw new TraceFormatException(folder + " has files of more than " + CPUS_MAX + " CPUs");
        }
    }

    private static @Nullable String whyUnread(Path file) {
        if (!Files.exists(file)) {
            return "no such file: it is a link to nowhere";
        }
        if (!Files.isRegularFile(file)) {
            return "is no regular file";
        }
        return Files.isReadable(file) ? null : "permission denied";
    }

    private long secondTimer() {
        if (live < 2) {
            return Long.MAX_VALUE;
        }
        return live == 2 ? heap[1].timer() : Math.min(heap[1].timer(), heap[2].timer());
    }

    private void add(TraceStream stream) {
        int at = live++;
        while (at > 0) {
            int parent = (at - 1) / 2;
            if (heap[parent].timer() <= stream.timer()) {
                break;
            }
            heap[at] = heap[parent];
            at = parent;
        }
        heap[at] = stream;
    }

    private void siftDown() {
        if (live == 0) {
            return;
        }
        TraceStream stream = heap[0];
        long timer = stream.timer();
        int at = 0;
        while (true) {
            int child = 2 * at + 1;
            if (child >= live) {
                break;
            }
            if (child + 1 < live && heap[child + 1].timer() < heap[child].timer()) {
                child++;
            }
            if (timer <= heap[child].timer()) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = stream;
    }
}

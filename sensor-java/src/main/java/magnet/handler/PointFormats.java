// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import magnet.config.InstalledDocument;
import magnet.config.NearestName;
import magnet.record.EventType;
import magnet.record.Subsystem;
import magnet.spi.Point;
import magnet.trace.DefinitionException;
import magnet.trace.EventFormat;
import magnet.trace.RuleChain;
import magnet.trace.RuleException;
import magnet.trace.RuleWords;

/** What events of points look like that handlers ask for. Stateless. */
public final class PointFormats {
    private static final Set<EventType> NEVER_WRITTEN = EnumSet.of(EventType.TASK_CTX_IN, EventType.TASK_CTX_OUT);
    /** Any will do where only the grammar is asked for. */
    private static final long TICKS_PER_MILLI = 1_000_000;

    private PointFormats() {}

    /** Whether it has to be inserted before it can be subscribed. */
    public static boolean isDynamic(Point point) {
        return EventFormat.isDefinition(point.point());
    }

    /**
     * The format of a predefined point's events.
     *
     * @throws HandlerException if there is no such point
     */
    static EventFormat predefined(String name) throws HandlerException {
        return find(name).map(EventFormat::of).orElseThrow(() -> new HandlerException(unknown(name)));
    }

    /**
     * The format of a dynamic point's events.
     *
     * @throws HandlerException if no kernel would take the definition
     */
    static EventFormat dynamic(int id, String name, String definition) throws HandlerException {
        try {
            return EventFormat.ofDefinition(id, name, definition);
        } catch (DefinitionException e) {
            throw new HandlerException("point '" + definition + "': " + e.getMessage(), e);
        }
    }

    /**
     * The format of a point's events.
     *
     * @param point predefined, or dynamic
     * @param id what the kernel gave a dynamic one
     * @param name its name
     * @throws HandlerException if there can be no such point
     */
    public static EventFormat of(Point point, int id, String name) throws HandlerException {
        return isDynamic(point) ? dynamic(id, name, point.point()) : predefined(point.point());
    }

    /**
     * The format of a point's events before the kernel was asked, without an id where that is given out at run time.
     *
     * @throws HandlerException if there can be no such point
     */
    static EventFormat of(Point point) throws HandlerException {
        return isDynamic(point) ? dynamic(0, "the point", point.point()) : predefined(point.point());
    }

    /**
     * The rules of a point.
     *
     * @param words puts numbers in the place of words in them
     * @throws HandlerException if they are none, or not for this point
     */
    static RuleChain rules(EventFormat format, long ticksPerMilli, RuleWords words, String where)
            throws HandlerException {
        try {
            return RuleChain.parse(format, ticksPerMilli, words.numbered(format.name(), where));
        } catch (RuleException e) {
            throw new HandlerException("rules '" + where + "': " + e.getMessage(), e);
        }
    }

    /** The same only to see whether it throws. */
    static void check(Point point) throws HandlerException {
        EventFormat format = of(point);
        if (rules(format, TICKS_PER_MILLI, RuleWords.ofAnyKernel(), point.where())
                        .asksPacket()
                && isWithoutHeader(format)) {
            throw new HandlerException("rules '" + point.where() + "': " + format.name()
                    + " sees the packet before it has headers to ask for");
        }
    }

    /** As docs/control.md says of snap length. */
    private static boolean isWithoutHeader(EventFormat format) {
        return format.id() == EventType.IP_QUEUE_XMIT.id() || format.id() == EventType.TCP_RETRANSMIT_SKB.id();
    }

    private static Optional<EventType> find(String name) {
        return Arrays.stream(EventType.values())
                .filter(type -> type.label().equals(name))
                .filter(type -> type.subsystem() != Subsystem.SENSOR && !NEVER_WRITTEN.contains(type))
                .findFirst();
    }

    private static String unknown(String name) {
        List<String> known = Arrays.stream(EventType.values())
                .map(EventType::label)
                .filter(each -> find(each).isPresent())
                .toList();
        return "there is no point '" + name + "'; "
                + NearestName.near(name, known)
                        .map(near -> "did you mean '" + near + "'?")
                        .orElseGet(() -> InstalledDocument.path("record-format.md")
                                + " lists them, and a dynamic one is p:, r:, f: or t: and a place");
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import magnet.control.ControlException;
import magnet.control.Hook;
import magnet.control.Mechanism;
import magnet.control.PointFunction;
import magnet.control.PointInfo;
import magnet.control.Refusal;
import magnet.os.CheapCall;
import magnet.os.Errno;
import magnet.os.MonotonicClock;

/**
 * A machine whose kernel hooks points as Linux does, and on which time passes by what is called and what is on: a call
 * takes {@link #CALL_NS}, and what each point that it hits adds. A kprobe becomes a jump {@link #JUMP_AFTER} questions
 * after it was switched on, if its instruction allows it and no other kprobe is in its region.
 */
final class FakeMachine implements Sensor, Caller, MonotonicClock {
    static final long CALL_NS = 300;
    static final int JUMP_AFTER = 3;
    static final Map<Hook, Long> COSTS =
            Map.of(Hook.BREAKPOINT, 900L, Hook.JUMP, 40L, Hook.FTRACE, 25L, Hook.TRACEPOINT, 15L);

    /** A point that was inserted. */
    private static final class Point {
        final PointInfo info;
        final String function;
        final int offset;
        boolean on;
        int questions;
        long events;

        Point(PointInfo info, String function, int offset) {
            this.info = info;
            this.function = function;
            this.offset = offset;
        }
    }

    /** Instructions of each function by offset, and whether it could be a jump. */
    final Map<String, TreeMap<Integer, Boolean>> functions = new HashMap<>();

    final Map<String, Errno> refused = new HashMap<>();
    final List<PointInfo> ofOthers = new ArrayList<>();
    /** What was switched on, in its order: {@code name logged}. */
    final List<String> switched = new ArrayList<>();

    private final Map<String, Point> points = new LinkedHashMap<>();
    private final Map<Long, Point> subscriptions = new HashMap<>();
    private final Set<Long> unlogged = new HashSet<>();
    private long now;
    private long subscription;
    private int named;

    /** Nanoseconds that each call takes longer than the one before. */
    double drift;

    /** A call by its number from 0 on that takes a millisecond longer, one of so many. */
    int hiccupEvery;

    /** Events of each switching on that get lost. */
    int lost;

    /** Whether a jump is a breakpoint again after it was used. */
    boolean unsteady;

    private double drifted;
    private long called;

    FakeMachine with(String function, int... jumpable) {
        TreeMap<Integer, Boolean> instructions = new TreeMap<>(Map.of(5, false, 6, false, 9, false, 11, false));
        for (int offset : jumpable) {
            instructions.put(offset, true);
        }
        functions.put(function, instructions);
        return this;
    }

    long on() {
        return subscriptions.size();
    }

    List<String> inserted() {
        return points.values().stream().map(point -> point.info.name()).toList();
    }

    @Override
    public PointInfo insert(String definition) throws ControlException {
        String place = definition.substring(2);
        int plus = place.indexOf('+');
        String function = plus < 0 ? place : place.substring(0, plus);
        int offset = plus < 0 ? 0 : Integer.decode(place.substring(plus + 1));
        check(definition, function, offset);
        Mechanism mechanism = switch (definition.charAt(0)) {
            case 'f' -> Mechanism.FTRACE;
            case 't' -> Mechanism.TRACEPOINT;
            case 'r' -> Mechanism.KRETPROBE;
            default -> Mechanism.KPROBE;
        };
        String name = "p" + named++;
        PointInfo info = info(name, mechanism, place, Hook.NONE);
        points.put(name, new Point(info, function, offset));
        return info;
    }

    private void check(String definition, String function, int offset) throws ControlException {
        Errno errno = refused.get(definition);
        if (errno == null && definition.charAt(0) != 't') {
            TreeMap<Integer, Boolean> instructions = functions.get(function);
            if (instructions == null) {
                errno = Errno.ENOENT;
            } else if (offset > instructions.lastKey()) {
                errno = Errno.ERANGE;
            } else if (offset != 0 && !instructions.containsKey(offset)) {
                errno = Errno.EILSEQ;
            }
        }
        if (errno != null) {
            throw Refusal.of("insert " + definition, errno, "refused");
        }
    }

    static PointInfo info(String name, Mechanism mechanism, String place, Hook hook) {
        PointFunction.State state = hook == Hook.NONE ? PointFunction.State.RESOLVED : PointFunction.State.ACTIVE;
        return new PointInfo(
                name,
                0x400,
                "dynamic",
                mechanism,
                hook,
                List.of(new PointFunction("", place, state, List.of(place))),
                hook == Hook.NONE ? 0 : 1,
                true,
                Optional.empty());
    }

    @Override
    public void remove(PointInfo point) {
        points.remove(point.name());
    }

    @Override
    public List<PointInfo> points() {
        now += 1_000_000_000;
        List<PointInfo> all = new ArrayList<>(ofOthers);
        for (Point point : points.values()) {
            point.questions++;
            all.add(info(
                    point.info.name(),
                    point.info.mechanism(),
                    point.info.functions().get(0).name(),
                    hook(point)));
        }
        return all;
    }

    private Hook hook(Point point) {
        if (!point.on) {
            return Hook.NONE;
        }
        return switch (point.info.mechanism()) {
            case TRACEPOINT -> Hook.TRACEPOINT;
            case KPROBE -> isJump(point) ? Hook.JUMP : Hook.BREAKPOINT;
            default -> Hook.FTRACE;
        };
    }

    private boolean isJump(Point point) {
        boolean blocked = points.values().stream()
                .anyMatch(other -> other.on
                        && other.function.equals(point.function)
                        && other.info.mechanism() == Mechanism.KPROBE
                        && other.offset > point.offset
                        && other.offset < point.offset + 5);
        boolean spoilt = unsteady && point.events > 0;
        boolean jumpable = functions.get(point.function).get(point.offset);
        return jumpable && !blocked && !spoilt && point.questions >= JUMP_AFTER;
    }

    @Override
    public long switchOn(PointInfo info, boolean logged) {
        Point point = points.get(info.name());
        assert !point.on : "twice";
        point.on = true;
        point.questions = 0;
        point.events = 0;
        subscriptions.put(++subscription, point);
        if (!logged) {
            unlogged.add(subscription);
        }
        switched.add(info.functions().get(0).name() + (logged ? "" : " unlogged"));
        return subscription;
    }

    @Override
    public void switchOff(long id) {
        subscriptions.remove(id).on = false;
    }

    @Override
    public long takeEvents(PointInfo point) {
        return points.get(point.name()).events - lost;
    }

    @Override
    public void repeat(CheapCall call, int times) {
        for (int i = 0; i < times; i++) {
            drifted += drift;
            called++;
            now += CALL_NS + (long) drifted + (hiccupEvery > 0 && called % hiccupEvery == 0 ? 1_000_000 : 0);
            subscriptions.forEach((id, point) -> {
                if (point.function.endsWith("_" + call)
                        || (point.function.equals("itimer_state") && call == CheapCall.SETITIMER)) {
                    now += COSTS.get(hook(point));
                    point.events += unlogged.contains(id) ? 0 : 1;
                }
            });
        }
    }

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public void close() {
        subscriptions.clear();
    }
}

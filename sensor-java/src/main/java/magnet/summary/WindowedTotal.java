// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

/** The part in the trailing window of something that somebody else counts since start. For one thread. */
public final class WindowedTotal implements Windowed {
    private final WindowedCount window;
    private long soFar;

    /** @param slots slots of the window */
    public WindowedTotal(int slots) {
        this.window = new WindowedCount(slots);
    }

    /** It has come to so much before the first window. */
    public void startAt(long sinceStart) {
        soFar = sinceStart;
    }

    /** It has come to so much since start. */
    public void is(long sinceStart) {
        window.add(sinceStart - soFar);
        soFar = sinceStart;
    }

    /** What came in the window, the current slot included. */
    public long sum() {
        return window.sum();
    }

    @Override
    public void advance() {
        window.advance();
    }
}

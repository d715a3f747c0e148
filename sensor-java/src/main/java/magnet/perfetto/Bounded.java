// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map that forgets what was not asked for the longest when it is full: memory does not depend on a trace's length. */
final class Bounded<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;
    private static final int FIRST_CAPACITY = 64;
    private static final float LOAD_FACTOR = 0.75f;

    private final int most;

    Bounded(int most) {
        super(FIRST_CAPACITY, LOAD_FACTOR, true);
        this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
    }
}

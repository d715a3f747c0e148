// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What is shown beside a slice or an instant, in order: names with numbers or texts, and the flow that it is part of. Used anew for each. */
final class Annotations {
    private String[] names = new String[8];
    private long[] numbers = new long[names.length];
    private @Nullable String[] texts = new @Nullable String[names.length];
    private int size;
    private long flow;
    private boolean flowEnds;

    Annotations none() {
        size = 0;
        flow = 0;
        flowEnds = false;
        return this;
    }

    Annotations with(String name, long number) {
        add(name);
        numbers[size - 1] = number;
        texts[size - 1] = null;
        return this;
    }

    Annotations with(String name, String text) {
        add(name);
        texts[size - 1] = text;
        return this;
    }

    /** @param id of the flow; 0 is none */
    Annotations inFlow(long id) {
        flow = id;
        return this;
    }

    Annotations endingFlow(long id) {
        flow = id;
        flowEnds = true;
        return this;
    }

    int size() {
        return size;
    }

    String name(int index) {
        return names[index];
    }

    long number(int index) {
        return numbers[index];
    }

    /** Null if it is a number. */
    @Nullable
    String text(int index) {
        return texts[index];
    }

    long flow() {
        return flow;
    }

    boolean flowEnds() {
        return flowEnds;
    }

    private void add(String name) {
        if (size == names.length) {
            names = Arrays.copyOf(names, 2 * size);
            numbers = Arrays.copyOf(numbers, 2 * size);
            texts = Arrays.copyOf(texts, 2 * size);
        }
        names[size++] = name;
    }
}

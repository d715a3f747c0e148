// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import java.util.Arrays;

/**
 * A binary heap of streams, that with the oldest record on top. Allocates only to grow. Not thread-safe.
 */
final class MergeHeap {
    private CpuStream[] heap = new CpuStream[8];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    void clear() {
        Arrays.fill(heap, 0, size, null);
        size = 0;
    }

    /** The stream whose head is the oldest; of several the one that came to the top first. */
    CpuStream first() {
        return heap[0];
    }

    void add(CpuStream stream) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        int at = size++;
        while (at > 0) {
            int parent = (at - 1) / 2;
            if (heap[parent].headTimer() <= stream.headTimer()) {
                break;
            }
            heap[at] = heap[parent];
            at = parent;
        }
        heap[at] = stream;
    }

    /** The first stream has another head now. */
    void firstChanged() {
        siftDown(heap[0]);
    }

    /** Takes the first stream out. */
    void removeFirst() {
        CpuStream last = heap[--size];
        heap[size] = null;
        if (size > 0) {
            siftDown(last);
        }
    }

    private void siftDown(CpuStream stream) {
        long timer = stream.headTimer();
        int at = 0;
        while (true) {
            int child = 2 * at + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && heap[child + 1].headTimer() < heap[child].headTimer()) {
                child++;
            }
            if (timer <= heap[child].headTimer()) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = stream;
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.util.HashMap;
import java.util.Map;
import magnet.metric.MetricGroup;

/** The bits that clients of a shape ask for categories by. Immutable. */
final class CategoryBits {
    /** What a concentrator says of those that it asks. */
    static final long SUPERMON = 0x10000000;

    private final Map<String, Long> bits = new HashMap<>();

    CategoryBits(ReplyFormat format) {
        for (StandardCategory each : StandardCategory.values()) {
            bits.put(each.label(), format.bit(each));
        }
        for (MetricGroup each : MetricGroup.values()) {
            bits.put(SensorCategories.name(each), SensorCategories.bit(each));
        }
        bits.put(HandedIn.NAME, HandedIn.BIT);
    }

    /**
     * The bit of a category.
     *
     * @param own the bit that it is said to have; counts for one that is not known here
     */
    long bit(String category, long own) {
        return bits.getOrDefault(category, own);
    }

    /**
     * The mask to ask another server by, which may know categories by other bits.
     *
     * @param mask what clients want, by the bits of here
     * @param described the categories that the other one has, with the bits that it has for them; all is asked for if it is
     *     not known
     */
    long mask(long mask, Map<String, Long> described) {
        if (described.isEmpty()) {
            return ~0L;
        }
        long asked = 0;
        long elsewhere = 0;
        for (Map.Entry<String, Long> each : described.entrySet()) {
            long here = bit(each.getKey(), each.getValue());
            asked |= (here & mask) != 0 ? each.getValue() : 0;
            elsewhere |= here | each.getValue();
        }
        // What it may have meanwhile, though it did not say so.
        return asked | (mask & ~elsewhere);
    }

    /** A mask as it is written; 0 if it is none. */
    static long parse(String mask) {
        boolean hex = mask.startsWith("0x") || mask.startsWith("0X");
        try {
            return hex ? Long.parseUnsignedLong(mask.substring(2), 16) : Long.parseUnsignedLong(mask);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}

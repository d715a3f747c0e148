// SPDX-License-Identifier: Apache-2.0
package magnet.it.ganglia;

import java.util.List;

/**
 * A METRIC element of gmond's XML.
 *
 * @param host the host it was booked to
 * @param name its name
 * @param value its value, as text
 * @param type gmetric type
 * @param units its unit
 * @param tn seconds since it was last heard of
 * @param tmax most seconds expected between two values
 * @param dmax seconds after which it is forgotten; 0 = never
 * @param slope gmetric slope
 * @param groups GROUP extra elements
 * @param title TITLE, "" if there is none
 * @param description DESC, "" if there is none
 */
public record GmondMetric(
        String host,
        String name,
        String value,
        String type,
        String units,
        int tn,
        int tmax,
        int dmax,
        String slope,
        List<String> groups,
        String title,
        String description) {

    public GmondMetric {
        groups = List.copyOf(groups);
    }

    /**
     * Its value as a number.
     *
     * @throws NumberFormatException if it is none
     */
    public double number() {
        return Double.parseDouble(value);
    }
}

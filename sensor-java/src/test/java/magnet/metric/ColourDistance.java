// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * How far apart two colours are for the eye, in CIELAB (CIE 1976): below 2.3 nobody sees a difference. For eyes that lack one
 * kind of cone, colours are first made what such eyes see of them (Machado, Oliveira and Fernandes, 2009, severity 1.0).
 */
enum ColourDistance {
    NORMAL(new double[][] {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}),
    PROTANOPIA(new double[][] {
        {0.152286, 1.052583, -0.204868},
        {0.114503, 0.786281, 0.099216},
        {-0.003882, -0.048116, 1.051998}
    }),
    DEUTERANOPIA(new double[][] {
        {0.367322, 0.860646, -0.227968},
        {0.280085, 0.672501, 0.047413},
        {-0.011820, 0.042940, 0.968881}
    });

    private static final double[][] TO_XYZ = {
        {0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}
    };
    private static final double[] WHITE = {0.95047, 1, 1.08883};
    private static final int HEX = 16;

    /** Nobody writes to it. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final double[][] seen;

    ColourDistance(double[][] seen) {
        this.seen = seen;
    }

    /** Between two colours, RRGGBB. */
    double between(String one, String other) {
        double[] a = lab(one);
        double[] b = lab(other);
        return Math.sqrt(IntStream.range(0, a.length)
                .mapToDouble(i -> (a[i] - b[i]) * (a[i] - b[i]))
                .sum());
    }

    private double[] lab(String colour) {
        double[] linear = IntStream.of(0, 2, 4)
                .mapToDouble(i -> linear(Integer.parseInt(colour.substring(i, i + 2), HEX) / 255.0))
                .toArray();
        double[] clipped = DoubleStream.of(times(seen, linear))
                .map(value -> Math.max(0, Math.min(1, value)))
                .toArray();
        double[] xyz = times(TO_XYZ, clipped);
        double x = curve(xyz[0] / WHITE[0]);
        double y = curve(xyz[1] / WHITE[1]);
        double z = curve(xyz[2] / WHITE[2]);
        return new double[] {116 * y - 16, 500 * (x - y), 200 * (y - z)};
    }

    private static double linear(double srgb) {
        return srgb <= 0.04045 ? srgb / 12.92 : Math.pow((srgb + 0.055) / 1.055, 2.4);
    }

    private static double curve(double value) {
        return value > 216.0 / 24389 ? Math.cbrt(value) : (24389.0 / 27 * value + 16) / 116;
    }

    private static double[] times(double[][] matrix, double[] vector) {
        return IntStream.range(0, matrix.length)
                .mapToDouble(row -> IntStream.range(0, vector.length)
                        .mapToDouble(column -> matrix[row][column] * vector[column])
                        .sum())
                .toArray();
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the letters of a picture are: of an SVG as cairo writes it, in which each letter is the outline of a glyph that is
 * used at some place. Immutable.
 *
 * @param width of the picture
 * @param height of the picture
 * @param letters the box of each letter's outline
 */
record Lettering(double width, double height, List<Box> letters) {
    private static final Pattern SIZE = Pattern.compile("<svg [^>]*width=\"(\\d+)[^\"]*\" height=\"(\\d+)");
    private static final Pattern GLYPH = Pattern.compile("<g id=\"(glyph[\\d-]+)\">\\s*<path [^>]*d=\"([^\"]*)\"");
    private static final Pattern USE =
            Pattern.compile("<use xlink:href=\"#(glyph[\\d-]+)\" x=\"([-\\d.]+)\" y=\"([-\\d.]+)\"");
    private static final Pattern POINT = Pattern.compile("(-?[\\d.]+) (-?[\\d.]+)");

    /** A rectangle, in pixels from the upper left corner. */
    record Box(double left, double top, double right, double bottom) {
        private Box at(double x, double y) {
            return new Box(left + x, top + y, right + x, bottom + y);
        }

        /** The lesser of how far two boxes overlap in each direction; not above 0 if they do not. */
        double overlap(Box other) {
            return Math.min(
                    Math.min(right, other.right) - Math.max(left, other.left),
                    Math.min(bottom, other.bottom) - Math.max(top, other.top));
        }
    }

    /** Of what {@code graph.php} answers with {@code image_format=svg}. */
    static Lettering parse(String svg) {
        Matcher size = SIZE.matcher(svg);
        if (!size.find()) {
            throw new IllegalArgumentException("not an SVG: " + svg);
        }
        Map<String, Box> glyphs = new HashMap<>();
        GLYPH.matcher(svg).results().forEach(glyph -> glyphs.put(glyph.group(1), box(glyph.group(2))));
        List<Box> letters = new ArrayList<>();
        USE.matcher(svg).results().forEach(use -> {
            Box glyph = glyphs.get(use.group(1));
            // A blank has no outline.
            if (glyph != null) {
                letters.add(glyph.at(Double.parseDouble(use.group(2)), Double.parseDouble(use.group(3))));
            }
        });
        return new Lettering(
                Double.parseDouble(size.group(1)), Double.parseDouble(size.group(2)), List.copyOf(letters));
    }

    private static Box box(String outline) {
        Box box = new Box(Double.MAX_VALUE, Double.MAX_VALUE, -Double.MAX_VALUE, -Double.MAX_VALUE);
        Matcher point = POINT.matcher(outline);
        while (point.find()) {
            double x = Double.parseDouble(point.group(1));
            double y = Double.parseDouble(point.group(2));
            box = new Box(Math.min(box.left, x), Math.min(box.top, y), Math.max(box.right, x), Math.max(box.bottom, y));
        }
        return box;
    }

    /** Those that are not wholly in the picture. */
    List<Box> outside() {
        return letters.stream()
                .filter(box -> box.left < 0 || box.top < 0 || box.right > width || box.bottom > height)
                .toList();
    }

    /** Those that lie on another one, by more than some pixels in both directions. */
    List<Box> onOthers(double pixels) {
        List<Box> found = new ArrayList<>();
        for (int i = 0; i < letters.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (letters.get(i).overlap(letters.get(j)) > pixels) {
                    found.add(letters.get(i));
                }
            }
        }
        return found;
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/** A picture of a page. */
final class Picture {
    /** What smoothing may do to each of red, green and blue. */
    private static final int TOLERANCE = 24;

    private static final int BYTE = 0xff;

    private final BufferedImage image;

    private Picture(BufferedImage image) {
        this.image = image;
    }

    static Picture read(Path png) throws IOException {
        return new Picture(ImageIO.read(png.toFile()));
    }

    /** Some of its rows. */
    Picture part(int firstRow, int rows) {
        return new Picture(image.getSubimage(0, firstRow, image.getWidth(), rows));
    }

    void write(Path png) throws IOException {
        ImageIO.write(image, "png", png.toFile());
    }

    /** Pixels of a colour, 0xRRGGBB, in its uppermost rows. */
    int count(int colour, int rows) {
        int count = 0;
        for (int y = 0; y < Math.min(rows, image.getHeight()); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                if (isClose(image.getRGB(x, y), colour)) {
                    count++;
                }
            }
        }
        return count;
    }

    private static boolean isClose(int one, int other) {
        for (int shift = 0; shift <= 16; shift += 8) {
            if (Math.abs((one >> shift & BYTE) - (other >> shift & BYTE)) > TOLERANCE) {
                return false;
            }
        }
        return true;
    }
}

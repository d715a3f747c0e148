// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.nio.file.Path;
import magnet.config.MagnetConfig;

/**
 * magnetd, but for the module: what it reads comes from the pipes in the folder that the variable {@code MAGNET_REPLAY}
 * names. It looks for the module all the same, so that its start does what any start does.
 */
public final class ReplayedMagnetd {
    private ReplayedMagnetd() {}

    public static void main(String[] arguments) {
        System.exit(new Magnetd(ReplayedMagnetd::connect).commandLine().execute(arguments));
    }

    private static SensorKernel connect(MagnetConfig config) {
        try {
            NetlinkKernel.connect().close();
        } catch (ServiceException e) {
            // There is none, as a rule.
        }
        return new PipedKernel(Path.of(System.getenv("MAGNET_REPLAY")));
    }
}

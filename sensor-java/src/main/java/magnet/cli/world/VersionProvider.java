// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import picocli.CommandLine.IVersionProvider;

/** The version that the build put into the jar. */
public final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = VersionProvider.class.getPackage().getImplementationVersion();
        return new String[] {"magnet " + (version == null ? "(not from a jar)" : version)};
    }
}

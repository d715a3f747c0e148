// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The versions of a node's service and module, as {@code magnet_sensor_software_version} tells them. Immutable.
 *
 * @param service that of magnetd
 * @param module that of the kernel module; empty if the text does not tell it
 */
record SensorVersion(String service, String module) {
    private static final Pattern FORM = Pattern.compile("(.*), module (.*)");

    static SensorVersion of(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches()
                ? new SensorVersion(released(matcher.group(1)), matcher.group(2))
                : new SensorVersion(released(text), "");
    }

    /** The module of a release to come has its version already. */
    private static String released(String service) {
        return service.replace("-SNAPSHOT", "");
    }

    /** Whether service and module are of one release, as far as the service knows its own. */
    boolean isOne() {
        return module.isEmpty() || service.startsWith("(") || service.equals(module);
    }

    @Override
    public String toString() {
        return isOne() ? service : service + ", module " + module;
    }
}

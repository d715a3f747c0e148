// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.nio.file.FileSystemException;
import magnet.control.ControlException;
import magnet.os.FileReason;
import magnet.os.OsException;

/** Says in one line what went wrong, and what to do about it. Stateless. */
public final class Complaint {
    private Complaint() {}

    /** The line for an exception, without the program's name. */
    public static String about(Throwable e) {
        String message = e.getMessage();
        if (message == null) {
            return e.getClass().getSimpleName();
        }
        if (e instanceof ControlException refused) {
            String text = byCommands(message);
            return switch (refused.errno()) {
                case EPERM -> text + remedy(refused);
                default -> text;
            };
        }
        if (e instanceof OsException failed) {
            return switch (failed.errno()) {
                case EACCES, EPERM -> message + "; join the group of /dev/magnet or run it as root";
                case EBUSY -> message + "; somebody else reads it";
                default -> message;
            };
        }
        if (e instanceof FileSystemException failed && failed.getReason() == null) {
            return message.startsWith("no data files") ? message : message + ": " + FileReason.of(failed);
        }
        return message;
    }

    /** The module names its control files, which are root's in debugfs; whoever types a command has a command for them. */
    private static String byCommands(String message) {
        return message.replace("control/buffers lists them", "\"magnet buffers\" lists them")
                .replace("control/points lists them", "\"magnet points\" lists them")
                .replace("control/format", "/sys/kernel/debug/magnet/control/format");
    }

    /** A refusal names the capabilities that would do; where none would, the kernel's own words say what to do. */
    private static String remedy(ControlException refused) {
        String text = refused.kernelText().orElse("CAP_PERFMON");
        for (String capability : new String[] {"CAP_NET_RAW", "CAP_BPF", "CAP_PERFMON"}) {
            if (text.contains(capability)) {
                return "; run it as root or give it " + capability;
            }
        }
        return "";
    }
}

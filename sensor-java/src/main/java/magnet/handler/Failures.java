// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.ServiceConfigurationError;

/** Says in one short line what somebody else's code has thrown, whatever that is. Stateless. */
final class Failures {
    private static final int LONGEST = 300;

    private Failures() {}

    /** Class, message and place, that of the cause if there is one; of what the loader of providers throws, its message. */
    static String say(Throwable thrown) {
        Throwable cause = thrown.getCause();
        String message = message(thrown);
        if (thrown instanceof ServiceConfigurationError) {
            return cut(message) + (cause == null ? "" : ": " + say(cause, place(cause)));
        }
        return cause == null ? say(thrown, place(thrown)) : say(thrown, ", caused by " + say(cause, place(cause)));
    }

    private static String say(Throwable thrown, String end) {
        String message = message(thrown);
        return cut(thrown.getClass().getName() + (message.isBlank() ? "" : ": " + message)) + end;
    }

    private static String message(Throwable thrown) {
        try {
            String message = thrown.getMessage();
            return message == null ? "" : message;
        } catch (RuntimeException e) {
            // Its message is somebody else's code, too.
            return "(its message cannot be had)";
        }
    }

    private static String place(Throwable thrown) {
        StackTraceElement[] trace = thrown.getStackTrace();
        return trace.length == 0 ? "" : " at " + trace[0];
    }

    private static String cut(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ");
        return line.length() > LONGEST ? line.substring(0, LONGEST) + "..." : line;
    }
}

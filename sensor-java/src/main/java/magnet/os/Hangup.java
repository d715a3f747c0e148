// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * SIGHUP, which by default ends a JVM, as what it is to services: the request to read their configuration again.
 *
 * <p>{@code sun.misc.Signal}, which the module jdk.unsupported exports, is what Java has for it. It is used by
 * reflection because the compiler's warning of it cannot be suppressed. Stateless.
 */
public final class Hangup {
    private static final String SIGNAL = "sun.misc.Signal";
    private static final String HANDLER = "sun.misc.SignalHandler";

    private Hangup() {}

    /**
     * From now on runs this at each SIGHUP, on a thread of the JVM.
     *
     * @return false if it will not: the process was started with SIGHUP ignored (nohup), which the JVM leaves so; the
     *     JVM was told not to handle signals (-Xrs), or has no such class
     */
    public static boolean onHangup(Runnable action) {
        try {
            Class<?> signal = Class.forName(SIGNAL);
            Class<?> handler = Class.forName(HANDLER);
            Object calling =
                    Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, calling(action));
            Object hup = signal.getConstructor(String.class).newInstance("HUP");
            Object before = signal.getMethod("handle", signal, handler).invoke(null, hup, calling);
            return before != handler.getField("SIG_IGN").get(null);
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    private static InvocationHandler calling(Runnable action) {
        return (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "handle" -> action.run();
                case "hashCode" -> {
                    return System.identityHashCode(proxy);
                }
                case "equals" -> {
                    return proxy == arguments[0];
                }
                default -> {
                    return "HUP";
                }
            }
            return null;
        };
    }
}

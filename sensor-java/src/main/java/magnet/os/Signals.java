// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * Signals that the process gets.
 *
 * <p>{@code sun.misc.Signal}, which the module jdk.unsupported exports, is what Java has for it. It is used by
 * reflection because the compiler's warning of it cannot be suppressed. Stateless.
 */
final class Signals {
    private static final String SIGNAL = "sun.misc.Signal";
    private static final String HANDLER = "sun.misc.SignalHandler";

    private Signals() {}

    /**
     * From now on runs this at each signal of a name, on a thread of the JVM.
     *
     * @param name without SIG
     * @return false if it will not: the signal was ignored, which stays so; the JVM was told not to handle signals (-Xrs), or
     *     has no such class
     */
    static boolean handle(String name, Runnable action) {
        try {
            Class<?> signal = Class.forName(SIGNAL);
            Class<?> handler = Class.forName(HANDLER);
            Object calling =
                    Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, calling(name, action));
            Object wanted = signal.getConstructor(String.class).newInstance(name);
            Object ignoring = handler.getField("SIG_IGN").get(null);
            Object before = signal.getMethod("handle", signal, handler).invoke(null, wanted, calling);
            if (before == ignoring) {
                signal.getMethod("handle", signal, handler).invoke(null, wanted, ignoring);
            }
            return before != ignoring;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    private static InvocationHandler calling(String name, Runnable action) {
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
                    return name;
                }
            }
            return null;
        };
    }
}

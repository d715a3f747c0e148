// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Map;
import java.util.Set;

/** The machine that a saved trace is of: what is not in the trace nobody knows any more. */
public final class SavedMachine implements Machine {
    private final Map<Integer, String> dropReasons;
    private final Map<Integer, String> processNames;

    /**
     * @param dropReasons as the trace names them, by number
     * @param processNames by process, as the trace names them
     */
    public SavedMachine(Map<Integer, String> dropReasons, Map<Integer, String> processNames) {
        this.dropReasons = dropReasons;
        this.processNames = processNames;
    }

    @Override
    public String processName(int process) {
        return processNames.getOrDefault(process, "");
    }

    @Override
    public String systemCallName(int number) {
        return "call " + number;
    }

    @Override
    public Map<Integer, String> dropReasons() {
        return dropReasons;
    }

    @Override
    public Processes processes() {
        return new Processes(0, 0, 0);
    }

    @Override
    public NetworkNamespace network() {
        return new NetworkNamespace(0, Set.of());
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** A machine that is as the test says. */
final class FakeMachine implements Machine {
    final Map<Integer, String> processes = new HashMap<>();
    final Map<Integer, String> systemCalls = new HashMap<>();
    final Map<Integer, String> reasons = new HashMap<>();
    Processes counted = new Processes(0, 0, 0);
    int counts;
    NetworkNamespace network = new NetworkNamespace(0, Set.of());

    @Override
    public String processName(int process) {
        return processes.getOrDefault(process, "");
    }

    @Override
    public String systemCallName(int number) {
        return systemCalls.getOrDefault(number, "call " + number);
    }

    @Override
    public Map<Integer, String> dropReasons() {
        return reasons;
    }

    @Override
    public Processes processes() {
        counts++;
        return counted;
    }

    @Override
    public NetworkNamespace network() {
        return network;
    }
}

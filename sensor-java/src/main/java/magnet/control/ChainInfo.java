// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.util.List;

/**
 * The rules of a subscription, in the order in which they are asked.
 *
 * @param subscription the subscription's id
 * @param point the point's name
 * @param buffer the buffer's name
 * @param rules none when every event is logged
 */
public record ChainInfo(long subscription, String point, String buffer, List<RuleInfo> rules) {
    public ChainInfo {
        rules = List.copyOf(rules);
    }
}

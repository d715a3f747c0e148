// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.List;

/** Whether texts are rules at all, which can be said before anybody knows the points that they are for. Stateless. */
public final class RuleForm {
    private RuleForm() {}

    /**
     * Checks texts.
     *
     * @param texts each has rules, separated by {@code ;} or new lines
     * @throws RuleException if one is not a rule; whether a point has its fields is another question
     */
    public static void check(List<String> texts) throws RuleException {
        for (String rule : RuleChain.split(String.join(";", texts))) {
            RuleParser.checkForm(rule);
        }
    }
}

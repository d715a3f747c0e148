// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.List;

/**
 * Lets bash complete the names of jobs, too: which there are it asks {@code magnet jobs}. Users may have a say in names, and bash runs
 * what stands in {@code $()} in a list of words, so only names of harmless characters are offered. Stateless.
 */
final class JobCompletion {
    private static final List<String> COMMANDS = List.of("tree", "stop", "cont", "kill", "keep");
    private static final String WORDS = """
                local positionals=""
                local IFS=$'\\n'
                COMPREPLY=( $(compgen -W "${commands// /$'\\n'}${IFS}${positionals}" -- "${curr_word}") )
            """;
    private static final String NAMES = """
                _magnet_job_names "${curr_word}"
            """;
    /** A colon ends a word for bash, and names have one: functions of the package bash-completion know how to deal with it. */
    private static final String FUNCTION = """

            # Names of the jobs of this node that begin with the current word.
            function _magnet_job_names() {
              local cur=$1
              ! declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref -n : cur
              local names=$(magnet jobs --json 2>/dev/null | grep -o '"job": "[A-Za-z0-9:._@+-]*"' | cut -d '"' -f 4)
              COMPREPLY=( $(compgen -W "${names}" -- "${cur}") )
              ! declare -F __ltrim_colon_completions >/dev/null || __ltrim_colon_completions "${cur}"
            }
            """;

    private JobCompletion() {}

    /** Adds it to the script that completes {@code magnet}. */
    static String addTo(String script) {
        String added = script;
        for (String command : COMMANDS) {
            int function = added.indexOf("function _picocli_magnet_jobs_" + command + "() {");
            int words = added.indexOf(WORDS, Math.max(0, function));
            if (function < 0 || words < 0) {
                throw new IllegalStateException("jobs " + command + " is completed in another way");
            }
            added = added.substring(0, words) + NAMES + added.substring(words + WORDS.length());
        }
        return added + FUNCTION;
    }
}

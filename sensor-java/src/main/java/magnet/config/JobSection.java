// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.List;
import magnet.job.JobNames;
import org.apache.commons.configuration2.tree.ImmutableNode;

/** Reads the section {@code [jobs]}: its keys are kinds of jobs, in the order in which they are tried. Stateless. */
final class JobSection {
    static final String NAME = "jobs";

    private JobSection() {}

    /** The list that the section has in place of the built-in one; the built-in one if the section is empty. */
    static JobNames read(String file, IniLines lines, ImmutableNode section) throws ConfigException {
        List<Integer> heads = lines.ofSection(NAME);
        if (heads.size() > 1) {
            throw new ConfigException(IniLines.at(file, heads.subList(1, 2)) + "[" + NAME + "] is given twice");
        }
        JobNames names = JobNames.none();
        for (ImmutableNode node : section.getChildren()) {
            String kind = node.getNodeName();
            List<Integer> at = lines.ofKey(NAME, kind);
            if (at.size() > 1) {
                throw new ConfigException(IniLines.at(file, at.subList(1, 2)) + "key '" + kind + "' is given twice");
            }
            try {
                names = names.with(kind, String.valueOf(node.getValue()));
            } catch (IllegalArgumentException e) {
                throw new ConfigException(IniLines.at(file, at) + "[" + NAME + "] " + kind + ": " + e.getMessage()
                        + "; see " + InstalledDocument.path("jobs.md"));
            }
        }
        return section.getChildren().isEmpty() ? JobNames.DEFAULTS : names;
    }
}

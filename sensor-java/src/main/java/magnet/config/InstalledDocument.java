// SPDX-License-Identifier: Apache-2.0
package magnet.config;

/** Where the reader of a message finds a document, as magnet is installed here: the launcher says it. Stateless. */
public final class InstalledDocument {
    /** The property that has the folder. */
    public static final String FOLDER_PROPERTY = "magnet.docs";

    private InstalledDocument() {}

    /** The path of a document, such as {@code metrics.md}; in no installation the tree's own. */
    public static String path(String name) {
        return System.getProperty(FOLDER_PROPERTY, "docs") + "/" + name;
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import magnet.config.InstalledDocument;

/**
 * Where the reader of a help text can read on, as magnet is installed here: the launcher says where the documents are. Texts
 * of commands are made of these constants, and picocli puts in what they stand for. Stateless.
 */
public final class ReadOn {
    /** The folder of the documents; in no installation the tree's own. */
    public static final String DOCS = "${magnet.docs:-docs}";

    /** What the last line of each help begins with; the names of documents follow. */
    public static final String LEAD = "Read on: ${magnet.page:-}";

    /** Where packages put the documents. */
    public static final String PACKAGED = "/usr/share/doc/magnet-sensor/docs";

    private static final String PAGE_PROPERTY = "magnet.page";

    private ReadOn() {}

    /** The documents are where packages put them: for texts that go into one. */
    public static void setPackaged() {
        System.setProperty(InstalledDocument.FOLDER_PROPERTY, PACKAGED);
    }

    /** The help that is asked for is about this command: where there is a package, there is a manual page of it. */
    public static void setCommand(String command) {
        if (PACKAGED.equals(System.getProperty(InstalledDocument.FOLDER_PROPERTY))) {
            String page = command.startsWith("-") ? "magnet" : "magnet-" + command;
            System.setProperty(PAGE_PROPERTY, "man " + page + ", ");
        }
    }

    /** A document, for a message. */
    public static String document(String name) {
        return InstalledDocument.path(name);
    }
}

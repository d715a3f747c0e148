// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import java.io.IOException;
import magnet.os.DataFile;

/** Sets and asks for the attributes of data files: by lseek, or of files of a test, which cannot be asked so. */
interface FileAttributes {
    /** The module's. */
    FileAttributes BY_LSEEK = new FileAttributes() {
        @Override
        public void set(DataFile file, Attribute attribute, long value) throws IOException {
            attribute.set(file, value);
        }

        @Override
        public long get(DataFile file, Attribute attribute) throws IOException {
            return attribute.get(file);
        }
    };

    /** Sets one. */
    void set(DataFile file, Attribute attribute, long value) throws IOException;

    /** Reads one back. */
    long get(DataFile file, Attribute attribute) throws IOException;
}

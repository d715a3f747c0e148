// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Says why something could not be done with a file: Java's exceptions say it by their types. Stateless. */
public final class FileReason {
    private FileReason() {}

    /** The reason in words, without the file's name. */
    public static String of(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (!(e instanceof FileSystemException failed)) {
            return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        }
        if (failed.getReason() != null) {
            return failed.getReason();
        }
        if (e instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        if (e instanceof NotDirectoryException) {
            return "it is no folder";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "it is there already";
        }
        return e instanceof DirectoryNotEmptyException
                ? "the folder is not empty"
                : e.getClass().getSimpleName().replace("Exception", "");
    }
}

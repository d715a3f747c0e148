// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The variables of a UEFI firmware, in a file as QEMU's has them: a firmware volume with a store of variables that bear time
 * stamps (EDK II, MdeModulePkg/Include/Guid/VariableFormat.h), still empty.
 */
public final class FirmwareVariables {
    /** Behind the headers of the volume and of the store. */
    private static final int FIRST_VARIABLE = 0x64;

    private static final int VARIABLE_HEADER = 60;
    private static final short START_ID = 0x55AA;
    /** Header and data are valid. */
    private static final byte ADDED = 0x3F;
    /** Kept, seen at boot and at run time, bears a time stamp. */
    private static final int ATTRIBUTES = 0x27;

    /** EFI_IMAGE_SECURITY_DATABASE_GUID. */
    private static final byte[] SECURITY_DATABASE = guid("d719b2cb-3d3a-4596-a3bc-dad00e67656f");

    /** EFI_CERT_X509_GUID. */
    private static final byte[] X509 = guid("a5c059a1-94e4-4aa7-87b5-ab155c2bf072");

    private static final int GUID = 16;
    private static final int LIST_HEADER = GUID + 12;

    private FirmwareVariables() {}

    /**
     * Puts a certificate into a new machine's list of those that it trusts ("db").
     *
     * @param variables the file; changed
     * @param certificate of X.509, in DER
     */
    public static void trust(Path variables, Path certificate) {
        try {
            byte[] list = signatureList(Files.readAllBytes(certificate));
            byte[] name = "db\0".getBytes(StandardCharsets.UTF_16LE);
            byte[] store = Files.readAllBytes(variables);
            ByteBuffer variable = ByteBuffer.wrap(store)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .position(FIRST_VARIABLE)
                    .slice()
                    .order(ByteOrder.LITTLE_ENDIAN);
            if (variable.getShort(0) != -1) {
                throw new IllegalArgumentException(variables + " has variables already");
            }
            variable.putShort(START_ID).put(ADDED).put((byte) 0).putInt(ATTRIBUTES);
            // No count, no time, no public key of its own.
            variable.put(new byte[VARIABLE_HEADER - GUID - 2 * Integer.BYTES - 2 * Integer.BYTES]);
            variable.putInt(name.length).putInt(list.length).put(SECURITY_DATABASE);
            variable.put(name).put(list);
            Files.write(variables, store);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] signatureList(byte[] certificate) {
        int signature = GUID + certificate.length;
        return ByteBuffer.allocate(LIST_HEADER + signature)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(X509)
                .putInt(LIST_HEADER + signature)
                .putInt(0)
                .putInt(signature)
                .put(new byte[GUID])
                .put(certificate)
                .array();
    }

    /** Its first three parts are little-endian numbers. */
    private static byte[] guid(String text) {
        UUID parts = UUID.fromString(text);
        long first = parts.getMostSignificantBits();
        return ByteBuffer.allocate(2 * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt((int) (first >>> Integer.SIZE))
                .putShort((short) (first >>> Short.SIZE))
                .putShort((short) first)
                .order(ByteOrder.BIG_ENDIAN)
                .putLong(parts.getLeastSignificantBits())
                .array();
    }
}

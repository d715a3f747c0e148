// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import java.util.List;

/** A message as Google's library decodes it, by the numbers of its fields: of those it knows none by name. */
record Decoded(UnknownFieldSet fields) {

    static Decoded of(byte[] bytes) {
        return of(ByteString.copyFrom(bytes));
    }

    private static Decoded of(ByteString bytes) {
        try {
            return new Decoded(UnknownFieldSet.parseFrom(bytes));
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError("no message: " + bytes, e);
        }
    }

    boolean has(int field) {
        return fields.hasField(field);
    }

    long number(int field) {
        List<Long> values = numbers(field);
        if (values.size() != 1) {
            throw new AssertionError("field " + field + " is there " + values.size() + " times in " + fields);
        }
        return values.get(0);
    }

    List<Long> numbers(int field) {
        return fields.getField(field).getVarintList();
    }

    List<Long> fixed64s(int field) {
        return fields.getField(field).getFixed64List();
    }

    /** Empty if it is not there. */
    String text(int field) {
        List<ByteString> values = fields.getField(field).getLengthDelimitedList();
        if (values.isEmpty()) {
            return "";
        }
        if (!values.get(0).isValidUtf8()) {
            throw new AssertionError("no UTF-8: " + values);
        }
        return values.get(0).toStringUtf8();
    }

    Decoded at(int field) {
        return all(field).get(0);
    }

    List<Decoded> all(int field) {
        return fields.getField(field).getLengthDelimitedList().stream()
                .map(Decoded::of)
                .toList();
    }
}

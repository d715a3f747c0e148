// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.List;
import magnet.spi.Field;
import magnet.spi.Fields;
import magnet.trace.EventField;
import magnet.trace.EventFormat;

/**
 * The fields of a point's events. Immutable.
 *
 * @param format what its events look like
 * @param threads whether records tell which thread they are of
 */
record PointFields(EventFormat format, boolean threads) implements Fields {
    @Override
    public Field field(String name) {
        for (EventField field : format.fields()) {
            if (field.name().equals(name)) {
                return RecordField.of(field);
            }
        }
        if (name.equals("tid") && !threads) {
            throw new IllegalArgumentException("records have layout classic, which has no thread ids");
        }
        RecordField header = RecordField.ofHeader(name);
        if (header == null) {
            throw new IllegalArgumentException(format.name() + " has no field '" + name + "'; there are "
                    + String.join(", ", names()) + (names().isEmpty() ? "" : ", ") + "cpu, tgid, tid and id");
        }
        return header;
    }

    @Override
    public List<String> names() {
        return format.fields().stream().map(EventField::name).toList();
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import magnet.record.RecordLayout;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class LiveFormatsTest {
    private static final RecordLayout LAYOUT = RecordLayout.WIDE;

    private List<String> lines = TraceFixture.builtIn(LAYOUT);
    private final Map<Integer, String> names = new HashMap<>();
    private @Nullable IOException refused;
    private int asked;

    private LiveFormats formats() {
        return new LiveFormats(
                LAYOUT,
                () -> {
                    asked++;
                    if (refused != null) {
                        throw refused;
                    }
                    return new ArrayList<>(lines);
                },
                () -> names);
    }

    @Test
    void shouldKnowAPointThatWasInsertedMeanwhile() {
        LiveFormats formats = formats();
        lines = TraceFixture.format(LAYOUT);
        EventFormat format = Objects.requireNonNull(formats.event(TraceFixture.dynamic(LAYOUT)));
        assertThat(format.name()).isEqualTo("f_open");
        assertThat(formats.name(TraceFixture.open(LAYOUT))).isEqualTo("sample_text");
        assertThat(asked).isEqualTo(2);
    }

    @Test
    void shouldAskOnceForAnIdThatNobodyKnows() {
        LiveFormats formats = formats();
        for (int i = 0; i < 1000; i++) {
            assertThat(formats.event(0x7ff)).isNull();
            assertThat(formats.name(0x7ff)).isNull();
        }
        assertThat(asked).isEqualTo(2);
    }

    @Test
    void shouldStillKnowAPointThatIsGone() {
        lines = TraceFixture.format(LAYOUT);
        LiveFormats formats = formats();
        lines = TraceFixture.builtIn(LAYOUT);
        assertThat(formats.name(TraceFixture.dynamic(LAYOUT))).isEqualTo("f_open");
    }

    @Test
    void shouldKnowNamesWhereTheFormatCannotBeRead() {
        refused = new AccessDeniedException("format");
        LiveFormats formats = formats();
        names.put(0x400, "vfs_read");
        assertThat(formats.event(0x400)).isNull();
        assertThat(formats.name(0x400)).isEqualTo("vfs_read");
        assertThat(formats.name(0x401)).isNull();
    }
}

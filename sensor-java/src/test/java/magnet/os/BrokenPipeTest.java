// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import org.junit.jupiter.api.Test;

final class BrokenPipeTest {
    @Test
    void shouldTellAReaderThatIsGoneFromADiskThatIsFull() throws IOException {
        Pipe pipe = Pipe.open();
        pipe.source().close();
        IOException gone =
                catchThrowableOfType(IOException.class, () -> pipe.sink().write(ByteBuffer.allocate(1)));
        pipe.sink().close();
        assertThat(BrokenPipe.is(gone)).isTrue();
        assertThat(BrokenPipe.is(new IOException("No space left on device"))).isFalse();
        assertThat(BrokenPipe.is(new IOException())).isFalse();
    }
}

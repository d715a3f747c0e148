// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Whatever a datagram holds, decoding it gives a value or an IOException. */
final class ControlFuzzTest {
    private static final List<GenericNetlink.Decoder<?>> DECODERS =
            List.of(Answers::moduleInfo, Answers::point, Answers::buffer, Answers::subscription, Answers::loss);

    @FuzzTest(maxDuration = "60s")
    void shouldSurviveAnyBytes(byte[] data) {
        ByteBuffer datagram = ByteBuffer.wrap(data).order(ByteOrder.nativeOrder());
        try {
            for (Message message : Message.parse(datagram)) {
                read(message);
            }
        } catch (IOException e) {
            return;
        }
    }

    private static void read(Message message) {
        ignoringRefusal(message::errno);
        ignoringRefusal(message::errorText);
        ignoringRefusal(message::command);
        for (GenericNetlink.Decoder<?> decoder : DECODERS) {
            ignoringRefusal(() -> decoder.decode(message.attributes()));
        }
    }

    private interface Step {
        Object run() throws IOException;
    }

    private static void ignoringRefusal(Step step) {
        try {
            Object unused = step.run();
        } catch (IOException e) {
            return;
        }
    }
}

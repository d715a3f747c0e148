// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import magnet.agent.AgentHealth;
import magnet.publish.AskingPeer;
import magnet.publish.Sink;
import magnet.publish.SinkCompatibilityKit;

class MuseSinkCompatibilityTest extends SinkCompatibilityKit {
    private static final int METRICS = 2;

    /** Asks for the list of metrics, and for each of them. While it stalls it asks and takes nothing. */
    private static final class Client extends AskingPeer {
        private MuseSink sink;

        @Override
        protected Optional<InetSocketAddress> listening() {
            return sink.listening();
        }

        @Override
        protected String stallingRequest() {
            return new String(Frames.named(0, ""), StandardCharsets.ISO_8859_1).repeat(1_000);
        }

        @Override
        protected Optional<String> ask(InetSocketAddress address) throws IOException {
            try (TestClient client = TestClient.at(address)) {
                StringBuilder answer = new StringBuilder();
                int first = 0;
                for (List<String> page = page(client, first); !page.isEmpty(); page = page(client, first)) {
                    for (String line : page) {
                        byte[] reply = client.ask(Frames.named(2, line.split(" ", 2)[0]));
                        if (reply.length == 1 + Double.BYTES) {
                            answer.append(ByteBuffer.wrap(reply).getDouble(1))
                                    .append(' ')
                                    .append(line)
                                    .append('\n');
                        }
                    }
                    first += page.size();
                }
                return answer.length() == 0 ? Optional.empty() : Optional.of(answer.toString());
            }
        }

        private static List<String> page(TestClient client, int first) throws IOException {
            byte[] reply = client.ask(Frames.get(METRICS, first));
            return new String(reply, 1, reply.length - 2, StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }

        @Override
        protected List<Told> told(String answer) {
            List<Told> told = new ArrayList<>();
            answer.lines().map(line -> line.split(" ", 3)).forEach(words -> {
                told.add(Told.description(words[1], words[2]));
                told.add(Told.value(words[1], Double.parseDouble(words[0])));
            });
            return told;
        }
    }

    @Override
    protected Peer startPeer() {
        return new Client();
    }

    @Override
    protected Sink newSink(Peer to, LongSupplier nanoClock) {
        FakeTap tap = new FakeTap();
        MuseSink sink = new MuseSink(
                new MuseSettings(
                        Optional.empty(),
                        Optional.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                        64,
                        StructLayout.I386),
                tap::open,
                tap,
                2,
                INTERVAL_SECONDS,
                nanoClock,
                AgentHealth.unheard());
        ((Client) to).sink = sink;
        return sink;
    }
}

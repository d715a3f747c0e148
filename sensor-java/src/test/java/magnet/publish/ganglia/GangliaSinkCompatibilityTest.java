// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import magnet.publish.Sink;
import magnet.publish.SinkCompatibilityKit;

class GangliaSinkCompatibilityTest extends SinkCompatibilityKit {

    /** A gmond that only listens; what comes while it stalls waits in its socket, as far as there is room. */
    private static final class Gmond implements Peer {
        private final int port;
        private FakeGmond listening = new FakeGmond();
        private boolean stalled;

        Gmond() throws IOException {
            port = listening.port();
        }

        @Override
        public List<Told> take() throws IOException {
            List<Told> told = new ArrayList<>();
            while (!stalled) {
                Optional<FakeGmond.Packet> packet = listening.next(100);
                if (packet.isEmpty()) {
                    return told;
                }
                FakeGmond.Packet got = packet.orElseThrow();
                told.add(
                        got.isMetadata()
                                ? Told.description(got.name(), got.units())
                                : Told.value(got.name(), Double.parseDouble(got.value())));
            }
            return told;
        }

        @Override
        public void stall() {
            stalled = true;
        }

        @Override
        public void proceed() {
            stalled = false;
        }

        @Override
        public void close() {
            listening.close();
        }

        @Override
        public void startAgain() throws IOException {
            listening = new FakeGmond(port);
        }
    }

    @Override
    protected Peer startPeer() throws IOException {
        return new Gmond();
    }

    @Override
    protected Sink newSink(Peer to, LongSupplier nanoClock) {
        SendChannel channel = TestChannels.unicast("127.0.0.1", ((Gmond) to).port);
        return new GangliaSink(
                new GangliaSink.Plan(
                        new MetricPackets(new HostIdentity("node1", false), 20, GangliaSink.DMAX_SECONDS),
                        List.of(new UdpChannel(channel, "node1", nanoClock)),
                        new MetadataSchedule(0, GangliaSink.DMAX_SECONDS, INTERVAL_SECONDS)),
                INTERVAL_SECONDS,
                new Pacer(Thread::sleep),
                nanoClock);
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import magnet.publish.LogLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(30)
class AcceptorTest {
    private static final int TURNS = 100;

    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger tries = new AtomicInteger();
    private final List<SocketChannel> taken = new ArrayList<>();

    /** The connection stays in the kernel's queue, so that the channel is ready in each turn. */
    @Test
    void shouldTryOnceInEachPauseAndSayItOnceWhenThereAreTooManyOpenFiles() throws IOException {
        try (LogLines log = new LogLines(AcceptorTest.class);
                Selector selector = Selector.open();
                ServerSocketChannel listening = ServerSocketChannel.open()) {
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listening.configureBlocking(false);
            Acceptor acceptor = new Acceptor(
                    selector,
                    listening,
                    () -> {
                        if (tries.incrementAndGet() <= 2) {
                            throw new IOException("Too many open files");
                        }
                        return listening.accept();
                    },
                    LoggerFactory.getLogger(AcceptorTest.class),
                    "test",
                    now::get);
            try (SocketChannel client = SocketChannel.open(listening.getLocalAddress())) {
                selector.select();
                turns(selector, acceptor);
                assertThat(tries).hasValue(1);
                assertThat(acceptor.work(now.get())).isEqualTo(TimeUnit.SECONDS.toNanos(Acceptor.PAUSE_SECONDS));
                now.addAndGet(TimeUnit.SECONDS.toNanos(Acceptor.PAUSE_SECONDS));
                turns(selector, acceptor);
                assertThat(tries).hasValue(2);
                assertThat(taken).isEmpty();
                now.addAndGet(TimeUnit.SECONDS.toNanos(Acceptor.PAUSE_SECONDS));
                turns(selector, acceptor);
                assertThat(taken).hasSize(1);
                assertThat(tries).hasValue(3);
                assertThat(taken.get(0).getRemoteAddress()).isEqualTo(client.getLocalAddress());
                assertThat(acceptor.work(now.get())).isEqualTo(Long.MAX_VALUE);
                assertThat(log.lines())
                        .containsExactly("WARN test: connections cannot be taken: Too many open files"
                                + " (said once, counted from now on)");
            } finally {
                for (SocketChannel each : taken) {
                    each.close();
                }
            }
        }
    }

    private void turns(Selector selector, Acceptor acceptor) throws IOException {
        for (int i = 0; i < TURNS; i++) {
            acceptor.work(now.get());
            selector.selectNow();
            for (SelectionKey key : selector.selectedKeys()) {
                assertThat(key.attachment()).isSameAs(acceptor);
                SocketChannel connection = acceptor.accept();
                if (connection != null) {
                    taken.add(connection);
                }
            }
            selector.selectedKeys().clear();
        }
    }
}

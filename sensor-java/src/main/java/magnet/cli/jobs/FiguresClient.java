// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import magnet.cli.world.Failure;
import magnet.cli.world.World;
import magnet.config.ConfigException;
import magnet.machine.ServiceProcess;
import magnet.publish.jobs.JobsConversation;
import magnet.publish.jobs.JobsSection;
import magnet.service.SetupFiles;

/** Asks magnetd for the figures of jobs: of all if this user may see them, otherwise of the user's own. For one thread. */
final class FiguresClient {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final int MOST_BYTES = 16 << 20;
    private static final int CHUNK = 64 * 1024;

    private final World world;
    private final Path socket;

    FiguresClient(World world) {
        this.world = world;
        this.socket = world.root().resolve(Path.of("/").relativize(socket(world)));
    }

    /** What is wrong with the file is said where names of jobs are looked for. */
    private static Path socket(World world) {
        try {
            return SetupFiles.jobsSocket(world.config());
        } catch (ConfigException e) {
            return JobsSection.USUAL;
        }
    }

    /** The newest figures, or why there are none. */
    JobFigures ask() {
        try (SocketChannel channel = connect()) {
            return JobFigures.parse(answer(channel));
        } catch (IOException e) {
            return JobFigures.none(reason(e));
        }
    }

    private SocketChannel connect() throws IOException {
        try {
            return SocketChannel.open(UnixDomainSocketAddress.of(JobsSection.all(socket)));
        } catch (IOException e) {
            // It is not this user's, or there is none.
            return SocketChannel.open(UnixDomainSocketAddress.of(socket));
        }
    }

    private String answer(SocketChannel channel) throws IOException {
        channel.write(StandardCharsets.US_ASCII.encode(JobsConversation.REQUEST + "\n"));
        channel.configureBlocking(false);
        Patience patience = new Patience(LIMIT, world.clock());
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        ByteBuffer part = ByteBuffer.allocate(CHUNK);
        while (true) {
            int count = read(channel, part.clear(), text.size() > 0);
            if (count < 0) {
                return text.toString(StandardCharsets.UTF_8);
            }
            text.write(part.array(), 0, count);
            if (text.size() > MOST_BYTES || (count == 0 && !patience.pause())) {
                throw new Failure("its answer at " + socket + " does not end");
            }
        }
    }

    /** Whoever is refused finds the connection reset behind the answer, because nobody has read the request. */
    private static int read(SocketChannel channel, ByteBuffer part, boolean begun) throws IOException {
        try {
            return channel.read(part);
        } catch (IOException e) {
            if (begun) {
                return -1;
            }
            throw e;
        }
    }

    private String reason(IOException e) {
        if (Files.exists(socket)) {
            return e.getMessage() == null ? e.toString() : e.getMessage();
        }
        try {
            return ServiceProcess.find(world.processes()).isPresent()
                    ? "it tells none; set jobs = on in [metrics] of /etc/magnet/magnet.conf"
                    : "it does not run";
        } catch (IOException unseen) {
            return "it cannot be looked for";
        }
    }
}

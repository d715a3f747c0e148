// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import info.ganglia.gmetric4j.xdr.v31x.Ganglia_extra_data;
import info.ganglia.gmetric4j.xdr.v31x.Ganglia_gmetric_string;
import info.ganglia.gmetric4j.xdr.v31x.Ganglia_metadata_message;
import info.ganglia.gmetric4j.xdr.v31x.Ganglia_metadata_msg;
import info.ganglia.gmetric4j.xdr.v31x.Ganglia_metadatadef;
import info.ganglia.gmetric4j.xdr.v31x.Ganglia_metric_id;
import info.ganglia.gmetric4j.xdr.v31x.Ganglia_msg_formats;
import info.ganglia.gmetric4j.xdr.v31x.Ganglia_value_msg;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.acplt.oncrpc.OncRpcException;
import org.acplt.oncrpc.XdrAble;
import org.acplt.oncrpc.XdrBufferEncodingStream;

/**
 * Encodes packets of Ganglia's 3.1 protocol with gmetric4j's message classes.
 *
 * <p>Values always travel as string messages with format {@code %s}, as from gmetric: gmond would use any other format
 * for printf. gmetric4j's own {@code Protocolv31x} is not used: its buffer holds 1,024 bytes, it sends to one
 * destination, and it counts calls to decide when metadata is due.
 *
 * <p>For one thread; every returned buffer is valid until the next call.
 */
final class PacketEncoder {
    /** Longest datagram that gmond reads: its max_udp_msg_len. */
    static final int PACKET_MAX = 1472;

    private static final String VALUE_FORMAT = "%s";

    private final HostIdentity identity;
    private final XdrBufferEncodingStream xdr = new XdrBufferEncodingStream(PACKET_MAX);

    PacketEncoder(HostIdentity identity) {
        this.identity = identity;
        xdr.setCharacterEncoding("US-ASCII");
    }

    /**
     * A metadata packet.
     *
     * @param type one of Ganglia's type words
     * @param slope Ganglia's slope number
     * @param tmaxSeconds longest time between two values
     * @param dmaxSeconds time after the last metadata at which gmond forgets the metric
     * @throws IllegalArgumentException if it does not fit into {@value #PACKET_MAX} bytes
     */
    ByteBuffer metadata(
            String name,
            String type,
            String units,
            int slope,
            int tmaxSeconds,
            int dmaxSeconds,
            List<ExtraElement> extra) {
        Ganglia_metadata_message message = new Ganglia_metadata_message();
        message.name = name;
        message.type = type;
        message.units = units;
        message.slope = slope;
        message.tmax = tmaxSeconds;
        message.dmax = dmaxSeconds;
        message.metadata = extra.stream().map(PacketEncoder::extraData).toArray(Ganglia_extra_data[]::new);
        Ganglia_metadatadef definition = new Ganglia_metadatadef();
        definition.metric_id = metricId(name);
        definition.metric = message;
        Ganglia_metadata_msg packet = new Ganglia_metadata_msg();
        packet.id = Ganglia_msg_formats.gmetadata_full;
        packet.gfull = definition;
        return encode(name, packet);
    }

    /**
     * A value packet.
     *
     * @throws IllegalArgumentException if it does not fit into {@value #PACKET_MAX} bytes
     */
    ByteBuffer value(String name, String value) {
        Ganglia_gmetric_string string = new Ganglia_gmetric_string();
        string.metric_id = metricId(name);
        string.fmt = VALUE_FORMAT;
        string.str = value;
        Ganglia_value_msg packet = new Ganglia_value_msg();
        packet.id = Ganglia_msg_formats.gmetric_string;
        packet.gstr = string;
        return encode(name, packet);
    }

    private Ganglia_metric_id metricId(String name) {
        Ganglia_metric_id id = new Ganglia_metric_id();
        id.host = identity.host();
        id.name = name;
        id.spoof = identity.spoof();
        return id;
    }

    private static Ganglia_extra_data extraData(ExtraElement element) {
        Ganglia_extra_data data = new Ganglia_extra_data();
        data.name = element.key();
        data.data = element.value();
        return data;
    }

    private ByteBuffer encode(String name, XdrAble packet) {
        try {
            xdr.beginEncoding(InetAddress.getLoopbackAddress(), 0);
            packet.xdrEncode(xdr);
            xdr.endEncoding();
        } catch (OncRpcException e) {
            throw new IllegalArgumentException("packet of " + name + " exceeds " + PACKET_MAX + " bytes", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ByteBuffer.wrap(xdr.getXdrData(), 0, xdr.getXdrLength());
    }
}

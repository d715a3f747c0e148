// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.dump.Expression.End;
import org.jspecify.annotations.Nullable;

/**
 * Reads expressions as tcpdump has them: the part of pcap-filter(7) that is about addresses, ports and protocols, and
 * {@code cpu}, {@code pid} and {@code tid} besides. As there, {@code not} binds closest, {@code and} and {@code or} bind alike,
 * from left to right, and a value without words in front of it takes those of the value before. Unlike there, protocols and ports are found
 * behind all extension headers of IPv6, not only behind a fragment's. For one text.
 */
final class ExpressionParser {
    /** What there is, for people. */
    static final String POSSIBLE = "[src|dst] host ADDRESS, [src|dst] net NETWORK, [tcp|udp|sctp] [src|dst] port N or"
            + " portrange N-M, [ip|ip6] proto N, ip, ip6, arp, rarp, tcp, udp, sctp, icmp, icmp6, inbound, outbound,"
            + " cpu N, pid N, tid N; and, or, not, ( )";

    private static final Pattern TOKEN = Pattern.compile("\\s*(\\(|\\)|!|&&|\\|\\||[^\\s()!&|]+|[&|])");
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern IPV4_BEGINNING = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){0,3}");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F]{0,4}(:[0-9a-fA-F]{0,4}){2,7}(\\d*\\.[\\d.]+)?");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,10}");
    private static final Pattern VALUE = Pattern.compile("[0-9].*|.*:.*");
    private static final Map<String, Integer> PROTOCOLS = Map.ofEntries(
            Map.entry("icmp", 1),
            Map.entry("igmp", 2),
            Map.entry("tcp", 6),
            Map.entry("udp", 17),
            Map.entry("gre", 47),
            Map.entry("esp", 50),
            Map.entry("ah", 51),
            Map.entry("icmp6", 58),
            Map.entry("ospf", 89),
            Map.entry("sctp", 132),
            Map.entry("udplite", 136));
    private static final Map<String, PacketField> EVENT_NUMBERS =
            Map.of("cpu", PacketField.CPU, "pid", PacketField.PROCESS, "tid", PacketField.THREAD);
    private static final Set<String> KINDS = Set.of("ip", "ip6", "arp", "rarp", "tcp", "udp", "sctp", "icmp", "icmp6");
    private static final Set<String> TYPES = Set.of("host", "net", "port", "portrange", "proto");
    private static final int TESTS_MAX = 256;
    private static final int DEPTH_MAX = 64;
    private static final int BITS = 32;

    private final String text;
    private final List<String> tokens = new ArrayList<>();
    private final List<Integer> starts = new ArrayList<>();
    private int next;
    private int tests;
    private int depth;
    private Qualifiers last = Qualifiers.NONE;

    /** The words in front of a value: of which kind of packet, which end, and what the value is. Empty where there is none. */
    private record Qualifiers(String kind, End end, String type) {
        static final Qualifiers NONE = new Qualifiers("", End.EITHER, "");
    }

    private ExpressionParser(String text) {
        this.text = text;
        Matcher matcher = TOKEN.matcher(text);
        while (matcher.lookingAt()) {
            tokens.add(matcher.group(1));
            starts.add(matcher.start(1));
            matcher.region(matcher.end(), text.length());
        }
    }

    /**
     * The expression of a text; everything, if the text is empty.
     *
     * @throws ExpressionException if it is none
     */
    static Expression parse(String text) throws ExpressionException {
        ExpressionParser parser = new ExpressionParser(text);
        if (parser.tokens.isEmpty()) {
            return Expression.EVERYTHING;
        }
        Expression expression = parser.expression();
        if (parser.next < parser.tokens.size()) {
            throw parser.wrong(parser.isNext(")") ? "no '(' belongs to this" : "'and' or 'or' is wanted here");
        }
        return expression;
    }

    private Expression expression() throws ExpressionException {
        Expression expression = unary();
        while (true) {
            if (take("and") || take("&&")) {
                expression = new Expression.And(expression, unary());
            } else if (take("or") || take("||")) {
                expression = new Expression.Or(expression, unary());
            } else {
                return expression;
            }
        }
    }

    private Expression unary() throws ExpressionException {
        if (++depth > DEPTH_MAX) {
            throw wrong("more than " + DEPTH_MAX + " of 'not' and '(' inside each other");
        }
        Expression expression;
        if (take("not") || take("!")) {
            expression = new Expression.Not(unary());
        } else if (take("(")) {
            expression = inParentheses();
        } else {
            expression = primitive();
        }
        depth--;
        return expression;
    }

    private Expression inParentheses() throws ExpressionException {
        Expression expression = expression();
        if (!take(")")) {
            throw wrong("')' is wanted here");
        }
        return expression;
    }

    private Expression primitive() throws ExpressionException {
        if (++tests > TESTS_MAX) {
            throw wrong("more than " + TESTS_MAX + " tests");
        }
        if (take("inbound")) {
            return number(PacketField.SENT, 0);
        }
        if (take("outbound")) {
            return number(PacketField.SENT, 1);
        }
        PacketField field = EVENT_NUMBERS.get(peek());
        if (field != null) {
            next++;
            return number(field, numberUpTo(field.most()));
        }
        return isValue() ? value(last) : qualified();
    }

    private static Expression number(PacketField field, long number) {
        return new Expression.Numbers(field, Ranges.of(field.most(), number, number));
    }

    private Expression qualified() throws ExpressionException {
        int start = next;
        String kind = KINDS.contains(peek()) ? tokens.get(next++) : "";
        @Nullable End end = end();
        String type = TYPES.contains(peek()) ? tokens.get(next++) : "";
        if (next == start) {
            throw wrong(peek().isEmpty() ? "a test is wanted here" : "this is no test");
        }
        if (!kind.isEmpty() && end == null && type.isEmpty() && !isValue() && !isNext("(")) {
            return ofKind(kind);
        }
        last = new Qualifiers(kind, end == null ? End.EITHER : end, type);
        check(last, start);
        if (take("(")) {
            return inParentheses();
        }
        return value(last);
    }

    private @Nullable End end() {
        boolean source = isNext("src");
        if (!source && !isNext("dst")) {
            return null;
        }
        next++;
        String joined = peek();
        boolean both = joined.equals("and") || joined.equals("&&");
        if ((both || joined.equals("or") || joined.equals("||"))
                && next + 1 < tokens.size()
                && tokens.get(next + 1).equals(source ? "dst" : "src")) {
            next += 2;
            return both ? End.BOTH : End.EITHER;
        }
        return source ? End.SOURCE : End.DESTINATION;
    }

    private void check(Qualifiers words, int start) throws ExpressionException {
        Set<String> good = switch (words.type()) {
            case "port", "portrange" -> Set.of("", "tcp", "udp", "sctp");
            case "proto" -> Set.of("", "ip", "ip6");
            default -> Set.of("", "ip", "ip6", "arp", "rarp");
        };
        if (!good.contains(words.kind())) {
            next = start;
            throw wrong("'" + words.kind() + "' does not go with "
                    + (words.type().isEmpty() ? "an address" : "'" + words.type() + "'"));
        }
        if (words.type().equals("proto") && words.end() != End.EITHER) {
            next = start;
            throw wrong("'proto' has no source and no destination");
        }
    }

    private static Expression ofKind(String kind) {
        return switch (kind) {
            case "ip" -> number(PacketField.ETHERTYPE, Ethertype.IPV4);
            case "ip6" -> number(PacketField.ETHERTYPE, Ethertype.IPV6);
            case "arp" -> number(PacketField.ETHERTYPE, Ethertype.ARP);
            case "rarp" -> number(PacketField.ETHERTYPE, Ethertype.RARP);
            case "icmp" -> protocol(ethertypes(Ethertype.IPV4), 1);
            case "icmp6" -> protocol(ethertypes(Ethertype.IPV6), 58);
            default -> protocol(PacketFacts.IP, PROTOCOLS.getOrDefault(kind, 0));
        };
    }

    private static Expression protocol(Ranges ethertypes, long protocol) {
        return new Expression.Protocols(ethertypes, Ranges.ofEach(PacketField.PROTOCOL.most(), protocol));
    }

    private static Ranges ethertypes(long... types) {
        return Ranges.ofEach(PacketField.ETHERTYPE.most(), types);
    }

    private Expression value(Qualifiers words) throws ExpressionException {
        return switch (words.type()) {
            case "port" -> {
                long port = numberUpTo(PacketField.SOURCE_PORT.most());
                yield ports(words, port, port);
            }
            case "portrange" -> portRange(words);
            case "proto" -> protocolOf(words);
            case "net" -> net(words);
            default -> host(words);
        };
    }

    private static Expression ports(Qualifiers words, long low, long high) {
        Ranges protocols = words.kind().isEmpty()
                ? Ranges.ofEach(PacketField.PROTOCOL.most(), 6, 17, 132)
                : Ranges.ofEach(PacketField.PROTOCOL.most(), PROTOCOLS.getOrDefault(words.kind(), 0));
        return new Expression.Ports(protocols, words.end(), Ranges.of(PacketField.SOURCE_PORT.most(), low, high));
    }

    private Expression portRange(Qualifiers words) throws ExpressionException {
        String range = peek();
        int dash = range.indexOf('-');
        long low = number(dash < 0 ? range : range.substring(0, dash));
        long high = dash < 0 ? low : number(range.substring(dash + 1));
        if (low < 0 || high < low || high > PacketField.SOURCE_PORT.most()) {
            throw wrong("two ports are wanted here, such as 8000-8080");
        }
        next++;
        return ports(words, low, high);
    }

    private Expression protocolOf(Qualifiers words) throws ExpressionException {
        String name = peek().startsWith("\\") ? peek().substring(1) : peek();
        Integer known = PROTOCOLS.get(name);
        long protocol;
        if (known != null) {
            next++;
            protocol = known;
        } else {
            protocol = numberUpTo(PacketField.PROTOCOL.most());
        }
        return protocol(
                switch (words.kind()) {
                    case "ip" -> ethertypes(Ethertype.IPV4);
                    case "ip6" -> ethertypes(Ethertype.IPV6);
                    default -> PacketFacts.IP;
                },
                protocol);
    }

    private Expression host(Qualifiers words) throws ExpressionException {
        Prefix address = address(peek(), Prefix.ALL_BITS);
        if (address == null) {
            throw wrong(
                    peek().contains("/")
                            ? "an address is wanted here; of networks there are 'net', 'src net' and 'dst net'"
                            : "an address is wanted here, of IPv4 or IPv6; names are not looked up");
        }
        return addresses(words, address);
    }

    private Expression addresses(Qualifiers words, Prefix prefix) throws ExpressionException {
        Ranges ethertypes = prefix.isIpv4()
                ? switch (words.kind()) {
                    case "ip" -> ethertypes(Ethertype.IPV4);
                    case "arp" -> ethertypes(Ethertype.ARP);
                    case "rarp" -> ethertypes(Ethertype.RARP);
                    case "" -> ethertypes(Ethertype.IPV4, Ethertype.ARP, Ethertype.RARP);
                    default -> null;
                }
                : words.kind().isEmpty() || words.kind().equals("ip6") ? ethertypes(Ethertype.IPV6) : null;
        if (ethertypes == null) {
            throw wrong("'" + words.kind() + "' does not go with an address of " + (prefix.isIpv4() ? "IPv4" : "IPv6"));
        }
        next++;
        return new Expression.Addresses(ethertypes, words.end(), prefix);
    }

    /** ADDRESS/BITS, the beginning of an IPv4 address, or such with a mask. */
    private Expression net(Qualifiers words) throws ExpressionException {
        String word = peek();
        int slash = word.indexOf('/');
        String address = slash < 0 ? word : word.substring(0, slash);
        int bits = slash < 0 ? -1 : (int) Math.min(Prefix.ALL_BITS + 1L, number(word.substring(slash + 1)));
        boolean masked =
                slash < 0 && next + 1 < tokens.size() && tokens.get(next + 1).equals("mask");
        if (slash >= 0 && bits < 0) {
            throw wrong("a prefix length is a number");
        }
        Prefix prefix = IPV4_BEGINNING.matcher(address).matches()
                ? ipv4Net(address, masked ? maskBits() : bits)
                : masked ? null : address(address, bits < 0 ? Prefix.ALL_BITS : bits);
        if (prefix == null) {
            throw wrong(
                    "a network is wanted here, such as 10.0.0.0/8, 192.168 or fd00::/8, and no bit behind its prefix");
        }
        Expression expression = addresses(words, prefix);
        next += masked ? 2 : 0;
        return expression;
    }

    /** The bits of a mask that is that of a prefix. */
    private int maskBits() throws ExpressionException {
        String word = next + 2 < tokens.size() ? tokens.get(next + 2) : "";
        Prefix mask = IPV4.matcher(word).matches() ? address(word, Prefix.ALL_BITS) : null;
        int value = mask == null ? 0 : (int) mask.low();
        int bits = Integer.bitCount(value);
        if (mask == null || (bits < BITS && value << bits != 0)) {
            next = Math.min(next + 2, tokens.size());
            throw wrong("a mask is wanted here whose ones are all in front, such as 255.255.0.0");
        }
        return bits;
    }

    /** What is left out of an address has no bits, unless it is said how many there are. */
    private static @Nullable Prefix ipv4Net(String beginning, int bits) {
        String[] parts = beginning.split("\\.", -1);
        int address = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            int part = i < parts.length ? Integer.parseInt(parts[i]) : 0;
            if (part > 0xff) {
                return null;
            }
            address = (address << Byte.SIZE) | part;
        }
        int length = bits < 0 ? parts.length * Byte.SIZE : bits;
        boolean more = length < BITS && (address & (-1L >>> (BITS + length))) != 0;
        return length > BITS || more ? null : Prefix.ofIpv4(address, length);
    }

    /** An address; null if it is none, or has more than these bits. Nothing is looked up. */
    private static @Nullable Prefix address(String word, int bits) {
        boolean ipv4 = IPV4.matcher(word).matches();
        if ((!ipv4 && !IPV6.matcher(word).matches()) || bits > Prefix.ALL_BITS) {
            return null;
        }
        if (ipv4) {
            return ipv4Net(word, -1);
        }
        try {
            byte[] bytes = InetAddress.getByName(word).getAddress();
            if (bytes.length == Integer.BYTES) {
                // A mapped address: no packet of IPv6's has that.
                return null;
            }
            ByteBuffer halves = ByteBuffer.wrap(bytes);
            long high = halves.getLong();
            long low = halves.getLong();
            return Prefix.hasMore(high, low, bits) ? null : new Prefix(high, low, bits);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private long numberUpTo(long most) throws ExpressionException {
        long number = number(peek());
        if (number < 0 || number > most) {
            throw wrong("a number is wanted here, at most " + most);
        }
        next++;
        return number;
    }

    /** -1 if it is none. */
    private static long number(String word) {
        return NUMBER.matcher(word).matches() ? Long.parseLong(word) : -1;
    }

    private boolean isValue() {
        return VALUE.matcher(peek()).matches();
    }

    private boolean isNext(String token) {
        return peek().equals(token);
    }

    private boolean take(String token) {
        boolean there = isNext(token);
        next += there ? 1 : 0;
        return there;
    }

    /** The next token; empty at the end. */
    private String peek() {
        return next < tokens.size() ? tokens.get(next) : "";
    }

    private ExpressionException wrong(String what) {
        int start = next < tokens.size() ? starts.get(next) : text.length();
        String here = next < tokens.size() ? tokens.get(next) : "";
        String marked =
                oneLine(text.substring(0, start) + ">>>" + here + "<<<" + text.substring(start + here.length()));
        return new ExpressionException("expression '" + marked + "': " + what + "; there are " + POSSIBLE);
    }

    static String oneLine(String text) {
        return text.replaceAll("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]", " ");
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a number in a record stands for: {@link Words} has the words. */
public enum WordKind {
    /** Nothing: it is a number. */
    NUMBER(null, false),
    /** Why a packet was thrown away, as this kernel counts the reasons. */
    DROP_REASON(PayloadField.Type.U32, true),
    /** What a thread waits for that leaves its CPU: the kernel's {@code TASK_*}. */
    TASK_STATE(PayloadField.Type.U32, false),
    /** {@code AF_*} of a socket. */
    FAMILY(PayloadField.Type.U16, false),
    /** {@code IPPROTO_*} of a socket. */
    PROTOCOL(PayloadField.Type.U16, false),
    /** {@code ETH_P_*} of a packet. */
    ETHERTYPE(PayloadField.Type.U16, false),
    /** What an allocation of memory may do: bits, which each kernel has its own of. */
    GFP_FLAGS(PayloadField.Type.U32, true),
    /** {@code REQ_OP_*} of a block request, as this kernel counts them. */
    BLOCK_OP(PayloadField.Type.U32, true),
    /** What an interrupt handler returns. */
    IRQ_RETURN(PayloadField.Type.U32, false),
    /** What a CPU goes on with: {@link CpuMode}. */
    CPU_MODE(PayloadField.Type.U32, false),
    /** Why a process is in a cgroup from here on. */
    ATTACH(PayloadField.Type.U32, false),
    /** A soft interrupt; an abstract id. */
    SOFTIRQ(null, false),
    /** A system call of the machine's own programs; an abstract id. */
    SYSTEM_CALL(null, false),
    /** A system call of 32-bit programs; an abstract id. */
    COMPAT_SYSTEM_CALL(null, false);

    private final PayloadField.@Nullable Type field;
    private final boolean ofKernel;
    private final String label = name().toLowerCase(Locale.ROOT);

    WordKind(PayloadField.@Nullable Type field, boolean ofKernel) {
        this.field = field;
        this.ofKernel = ofKernel;
    }

    /** The kind of this label, or null. */
    public static @Nullable WordKind ofLabel(String label) {
        for (WordKind kind : values()) {
            if (kind.label.equals(label)) {
                return kind;
            }
        }
        return null;
    }

    /** What {@code control/format} and the metadata of traces call it: {@code gfp_flags}. */
    public String label() {
        return label;
    }

    /** The type of the fields that have it, or null if no field has. */
    public PayloadField.@Nullable Type field() {
        return field;
    }

    /** Whether each kernel has numbers of its own, so that only the one that wrote a record knows what they mean. */
    public boolean isOfKernel() {
        return ofKernel;
    }
}

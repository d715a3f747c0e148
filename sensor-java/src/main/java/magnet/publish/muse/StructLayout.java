// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

/** How a client's compiler lays out the struct of {@code process_scheduling}: with the CPUs at offset 20, or at 24. */
public enum StructLayout {
    I386,
    X86_64
}

// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.util.Optional;
import magnet.control.Hook;
import magnet.control.PointInfo;
import magnet.os.CheapCall;

/**
 * A point that a system call hits once.
 *
 * @param way what is measured by it
 * @param call the call
 * @param place the function or tracepoint
 * @param point the point, off
 * @param hook how the kernel gets there
 * @param neighbour a point that has to be on as a jump, in both halves of a round: in its region no other can be one
 */
record Target(Way way, CheapCall call, String place, PointInfo point, Hook hook, Optional<PointInfo> neighbour) {}

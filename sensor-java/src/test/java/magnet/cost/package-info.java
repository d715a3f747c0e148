// SPDX-License-Identifier: Apache-2.0
/**
 * What the service costs while it runs: magnetd as it is installed, fed by a made-up machine through pipes, watched from
 * outside, {@code make bench-cost}; and what the packets of many nodes cost gmond and gmetad, {@code make bench-cluster}.
 */
package magnet.cost;

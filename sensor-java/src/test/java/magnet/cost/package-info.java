// SPDX-License-Identifier: Apache-2.0
/**
 * What the service costs while it runs: magnetd as it is installed, fed by a made-up machine through pipes, watched from
 * outside. {@code make bench-cost}.
 */
package magnet.cost;

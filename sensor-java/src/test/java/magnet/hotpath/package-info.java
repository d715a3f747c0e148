// SPDX-License-Identifier: Apache-2.0
/** What an event costs from the file to the metric: a made-up machine, a benchmark, and a test that nothing is allocated. */
package magnet.hotpath;

// SPDX-License-Identifier: Apache-2.0
/**
 * Buffers as the files that the module shows them as: where they are, the attributes that lseek sets, batches, and
 * the merge of the CPUs by time into one stream of records.
 */
@NullMarked
package magnet.magnetfs;

import org.jspecify.annotations.NullMarked;

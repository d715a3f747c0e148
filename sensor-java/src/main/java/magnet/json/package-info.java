// SPDX-License-Identifier: Apache-2.0
/** What is written for programs as JSON. Nobody else sees gson, which is loaded when something is written. */
@NullMarked
package magnet.json;

import org.jspecify.annotations.NullMarked;

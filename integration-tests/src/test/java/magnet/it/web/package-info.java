// SPDX-License-Identifier: Apache-2.0
/** magnet's reports in Ganglia's own web front end, looked at through a real browser; {@code make test-web} runs them. */
@NullMarked
package magnet.it.web;

import org.jspecify.annotations.NullMarked;

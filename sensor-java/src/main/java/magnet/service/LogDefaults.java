// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.core.spi.ContextAwareBase;
import magnet.config.LogLevel;

/**
 * How anything logs that has not said so itself: warnings, to stderr. Logback finds this class by its service file and
 * then need not look for files and load its XML reader, which takes longer than to read the whole configuration. A
 * logback-test.xml or {@code -Dlogback.configurationFile} still wins.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_TOP_PRIORITY)
public final class LogDefaults extends ContextAwareBase implements Configurator {

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty("logback.configurationFile") != null
                || getClass().getClassLoader().getResource("logback-test.xml") != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        Logging.start(context, LogLevel.WARN);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import magnet.publish.ganglia.GmondConfig;
import magnet.publish.ganglia.GmondConfigException;
import magnet.publish.ganglia.SensorModule;
import magnet.service.SinkKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file that is shipped for gmond's conf.d says what is true. */
class GmondModuleTest {
    private static final Path SHIPPED = Path.of("..", "gmond-conf", "magnet.conf");

    @TempDir
    private Path folder;

    @Test
    void shouldSwitchOnAndSetNothingWhenInstalledAsItIs() throws Exception {
        SensorModule module = moduleOf(Files.readString(SHIPPED));
        assertThat(module.enabled()).isTrue();
        assertThat(module.params()).isEmpty();
    }

    @Test
    void shouldNameEverySettingWithItsDefaultWhenNoneIsCommentedOut() throws Exception {
        SensorModule module = moduleOf(Files.readString(SHIPPED).replace("# param ", "param "));
        assertThat(module.params().stream().map(SensorModule.Param::name))
                .containsExactlyInAnyOrderElementsOf(new ConfigKeys(SinkKind.sections())
                        .all().stream()
                                .filter(key -> !key.equals(ServiceKeys.GMOND_CONF))
                                .map(ConfigKey::fullName)
                                .toList());
        List<Setting> settings = module.params().stream()
                .map(param -> new Setting(param.name(), param.value(), param.file()))
                .toList();
        assertThat(settings)
                .allSatisfy(setting -> assertThat(new ConfigKeys(SinkKind.sections())
                                .all().stream().filter(key -> key.fullName().equals(setting.name())))
                        .singleElement()
                        .returns(setting.value(), ConfigKey::defaultText));
        ConfigReader.Extensions extensions = new ConfigReader.Extensions(OwnMetrics.UNKNOWN, SinkKind.sections());
        assertThat(ConfigReader.defaults(settings, extensions)).isEqualTo(ConfigReader.defaults(List.of(), extensions));
    }

    private SensorModule moduleOf(String text) throws IOException, GmondConfigException {
        Path conf = folder.resolve("gmond.conf");
        Files.writeString(conf, "udp_send_channel { host = a port = 1 }\n" + text);
        return GmondConfig.read(conf).module().orElseThrow();
    }
}

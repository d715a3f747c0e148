// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import magnet.publish.ganglia.GmondConfig;
import magnet.publish.ganglia.GmondConfigException;
import magnet.publish.ganglia.SensorModule;
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
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(ConfigKey.values())
                        .filter(key -> key != ConfigKey.GMOND_CONF)
                        .map(ConfigKey::fullName)
                        .toList());
        List<Setting> settings = module.params().stream()
                .map(param -> new Setting(param.name(), param.value(), param.file()))
                .toList();
        assertThat(settings)
                .allSatisfy(setting -> assertThat(Arrays.stream(ConfigKey.values())
                                .filter(key -> key.fullName().equals(setting.name())))
                        .singleElement()
                        .returns(setting.value(), ConfigKey::defaultText));
        assertThat(ConfigReader.defaults(settings)).isEqualTo(ConfigReader.defaults());
    }

    private SensorModule moduleOf(String text) throws IOException, GmondConfigException {
        Path conf = folder.resolve("gmond.conf");
        Files.writeString(conf, "udp_send_channel { host = a port = 1 }\n" + text);
        return GmondConfig.read(conf).module().orElseThrow();
    }
}

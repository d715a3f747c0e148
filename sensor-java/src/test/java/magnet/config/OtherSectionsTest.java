// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OtherSectionsTest {
    private static final ConfigKey KEY = new ConfigKey("cluster", "address", "239.2.11.71:8655", "an address");
    private static final ConfigKey OTHER = new ConfigKey("cluster", "hops", "1", "a number");
    private static final List<ConfigKey> KEYS = List.of(KEY, OTHER);

    @Test
    void shouldReadWhatStandsThereAndDefaultsOtherwise() throws ConfigException {
        ConfigTexts texts = OtherSections.parse("f", "[collector]\nx = 1\n[cluster]\nhops = 7\n")
                .texts("cluster", KEYS);

        assertThat(texts.number(OTHER, 255)).isEqualTo(7);
        assertThat(texts.text(KEY)).isEqualTo("239.2.11.71:8655");
    }

    @Test
    void shouldNameRecordingsInTheirOrder() throws ConfigException {
        OtherSections sections = OtherSections.parse("f", "[recording b]\n[jobs]\n[recording  a]\n");

        assertThat(sections.recordings()).containsExactly("b", "a");
        assertThat(sections.has("cluster")).isFalse();
    }

    @Test
    void shouldHaveNothingWhereThereIsNoFile() throws ConfigException {
        OtherSections sections = OtherSections.read(Path.of("/nowhere/magnet.conf"));

        assertThat(sections.recordings()).isEmpty();
        assertThat(sections.texts("cluster", KEYS).number(OTHER, 255)).isEqualTo(1);
    }

    @Test
    void shouldRefuseAnUnknownKeyWithItsLine() throws ConfigException {
        OtherSections sections = OtherSections.parse("f", "[cluster]\n\nhop = 1\n");

        assertThatThrownBy(() -> sections.texts("cluster", KEYS))
                .hasMessage("f:3: unknown key 'hop' in [cluster]; did you mean 'hops'?");
    }

    @Test
    void shouldRefuseAKeyOrASectionThatIsGivenTwice() throws ConfigException {
        OtherSections sections = OtherSections.parse("f", "[cluster]\nhops = 1\nhops = 2\n");

        assertThatThrownBy(() -> sections.texts("cluster", KEYS)).hasMessage("f:3: key 'hops' is given twice");
        assertThatThrownBy(() -> OtherSections.parse("f", "[recording a]\n[recording a]\n"))
                .hasMessage("f:2: [recording a] is given twice");
    }

    @Test
    void shouldBePassedOverByTheService() throws ConfigException {
        MagnetConfig config = ConfigReader.parse(
                "f",
                "[cluster]\nwhatever = it is\n[recording x]\npoints = y\n[publish]\ninterval = 2s\n",
                List.of(),
                ConfigReader.Extensions.NONE);

        assertThat(config.publishInterval()).hasSeconds(2);
    }
}

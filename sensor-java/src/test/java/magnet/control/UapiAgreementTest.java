// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import magnet.testing.UapiHeader;
import org.junit.jupiter.api.Test;

/** The kernel's header and this package must say the same. */
final class UapiAgreementTest {
    private static final UapiHeader HEADER = UapiHeader.read();

    @Test
    void shouldKnowTheSameCommands() {
        Map<String, Long> expected = new HashMap<>(HEADER.enumeration("magnet_cmd"));
        expected.remove("MAGNET_CMD_UNSPEC");
        Map<String, Long> java = new LinkedHashMap<>();
        for (Command command : Command.values()) {
            java.put("MAGNET_CMD_" + command.name(), (long) command.id());
        }
        assertThat(java).containsExactlyInAnyOrderEntriesOf(expected);
    }

    @Test
    void shouldKnowTheSameAttributes() throws IllegalAccessException {
        Map<String, Long> expected = new HashMap<>(HEADER.enumeration("magnet_a"));
        expected.remove("MAGNET_A_UNSPEC");
        Map<String, Long> java = new LinkedHashMap<>();
        for (Field field : AttributeId.class.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
                java.put("MAGNET_A_" + field.getName(), (long) field.getInt(null));
            }
        }
        assertThat(java).containsExactlyInAnyOrderEntriesOf(expected);
    }

    @Test
    void shouldKnowTheSameMechanisms() {
        Map<String, Long> java = new LinkedHashMap<>();
        for (Mechanism mechanism : Mechanism.values()) {
            java.put("MAGNET_MECHANISM_" + mechanism.name(), (long) mechanism.id());
        }
        java.remove("MAGNET_MECHANISM_UNKNOWN");
        assertThat(java).containsExactlyInAnyOrderEntriesOf(HEADER.enumeration("magnet_mechanism"));
    }

    @Test
    void shouldKnowTheSameHooks() {
        Map<String, Long> java = new LinkedHashMap<>();
        for (Hook hook : Hook.values()) {
            java.put("MAGNET_HOOK_" + hook.name(), (long) hook.id());
        }
        java.remove("MAGNET_HOOK_UNKNOWN");
        assertThat(java).containsExactlyInAnyOrderEntriesOf(HEADER.enumeration("magnet_hook"));
    }

    @Test
    void shouldKnowTheSameStatesAndClocks() {
        Map<String, Long> java = new LinkedHashMap<>();
        for (PointFunction.State state : PointFunction.State.values()) {
            java.put("MAGNET_FN_" + state.name(), (long) state.id());
        }
        assertThat(java).containsExactlyInAnyOrderEntriesOf(HEADER.enumeration("magnet_fn_state"));
        java.clear();
        for (ClockSource source : ClockSource.values()) {
            java.put("MAGNET_CLOCK_" + source.name(), (long) source.id());
        }
        assertThat(java).containsExactlyInAnyOrderEntriesOf(HEADER.enumeration("magnet_clock_source"));
    }

    @Test
    void shouldKnowTheSameNamesAndVersions() {
        assertThat(MagnetControl.ABI_VERSION).isEqualTo((int) HEADER.value("MAGNET_ABI_VERSION"));
        assertThat(MagnetControl.FAMILY).isEqualTo(HEADER.string("MAGNET_GENL_NAME"));
        assertThat(MagnetControl.FAMILY_VERSION).isEqualTo((int) HEADER.value("MAGNET_GENL_VERSION"));
        assertThat(NoticeListener.GROUP).isEqualTo(HEADER.string("MAGNET_GENL_MCGRP"));
        assertThat(MagnetControl.BUFFER_SIZE_DEFAULT).isEqualTo(HEADER.value("MAGNET_BUFFER_SIZE_DEFAULT"));
        assertThat(RequestWriter.STRING_SIZE).isEqualTo((int) HEADER.value("MAGNET_RULES_SIZE"));
        assertThat(Selection.SNAP_BYTES_MOST).isEqualTo((int) HEADER.value("MAGNET_SNAP_LEN_MAX"));
        for (Flag flag : Flag.values()) {
            assertThat(flag.bit()).isEqualTo((int) HEADER.value("MAGNET_F_" + flag.name()));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Each test of a {@link GuestTest} has the module, loaded anew; a test that leaves it in use fails. */
public final class LoadedModule implements BeforeEachCallback, AfterEachCallback {
    @Override
    public void beforeEach(ExtensionContext context) {
        KernelModule.load(GuestExtension.guest(context));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        KernelModule.remove(GuestExtension.guest(context));
    }
}

// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** What {@link GuestTest} does: one guest for each test class, which JUnit closes with the class's store. */
final class GuestExtension
        implements BeforeAllCallback, AfterTestExecutionCallback, AfterAllCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(GuestExtension.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        if (context.getStore(NAMESPACE).get(Guest.class) != null) {
            return; // a nested class uses its outer class's guest
        }
        GuestTest annotation = AnnotationSupport.findAnnotation(context.getRequiredTestClass(), GuestTest.class)
                .orElseThrow(() -> new IllegalStateException("no @GuestTest at " + context.getDisplayName()));
        context.getStore(NAMESPACE).put(Guest.class, Guest.boot(GuestOptions.of(annotation)));
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            Guest guest = guest(context);
            guest.keep();
            System.err.println(context.getDisplayName() + " failed; " + guest.consoleEnd());
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        Guest guest = guest(context);
        if (context.getExecutionException().isPresent()) {
            guest.keep();
        }
        KernelComplaints.failIfAny(guest);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Guest.class;
    }

    @Override
    public Guest resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return guest(context);
    }

    /** The guest of the class that this is about. */
    static Guest guest(ExtensionContext context) {
        Guest guest = context.getStore(NAMESPACE).get(Guest.class, Guest.class);
        if (guest == null) {
            throw new IllegalStateException("no guest was booted for " + context.getDisplayName());
        }
        return guest;
    }
}

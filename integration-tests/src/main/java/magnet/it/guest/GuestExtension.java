// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
    /** For run-tests: a kernel that complains once is not made good by a second run that passes. */
    private static final Path COMPLAINTS = Tree.build().resolve("log/kernel-complaints");

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
        checkKernelLog(guest);
    }

    private static void checkKernelLog(Guest guest) throws IOException, InterruptedException {
        Process check = new ProcessBuilder(
                        Tree.harness().resolve("check-kernel-log").toString(),
                        guest.kernelLog().toString(),
                        guest.console().toString())
                .redirectErrorStream(true)
                .start();
        String found = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (check.waitFor() != 0) {
            guest.keep();
            Files.createDirectories(COMPLAINTS.getParent());
            Files.writeString(COMPLAINTS, found, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            throw new AssertionError("the guest's kernel complained:\n" + found);
        }
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

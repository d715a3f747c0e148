// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import magnet.cli.world.Interruption;
import magnet.cli.world.ReadOn;
import magnet.cli.world.World;
import magnet.service.Magnetd;
import picocli.AutoComplete;
import picocli.CommandLine;

/** Writes what a package has beside the programs: manual pages, and what lets bash complete them. */
public final class Documents {
    private final Path folder;
    private final String source;

    private Documents(Path folder, String source) {
        this.folder = folder;
        this.source = source;
    }

    /**
     * Run by the packages' build: {@code Documents FOLDER MAGNET.CONF VERSION} writes PAGE.SECTION, magnet.bash and
     * magnetd.bash into FOLDER. Those of commands and programs that come with another package ({@link CommandProvider}) go into
     * FOLDER/PACKAGE.
     */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 3) {
            System.err.println("give a folder, the path of magnet.conf as it is shipped, and a version");
            System.exit(2);
        }
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        new Documents(folder, "magnet " + arguments[2]).write(Path.of(arguments[1]));
    }

    private void write(Path shippedConfig) throws IOException {
        ReadOn.setPackaged();
        CommandLine magnet = MagnetCommand.commandLine(World.real(new Interruption()));
        CommandPage top = new CommandPage(magnet);
        List<String> pages = new ArrayList<>(List.of("magnetd(8)", "magnet.conf(5)"));
        List<CommandLine> own = new ArrayList<>(magnet.getSubcommands().values());
        for (CommandProvider each : ServiceLoader.load(CommandProvider.class)) {
            CommandLine other = Objects.requireNonNull(magnet.getSubcommands().get(each.name()));
            own.remove(other);
            Documents beside = new Documents(Files.createDirectories(folder.resolve(each.packageName())), source);
            pages.add(beside.savePage(other, List.of("magnet(1)")));
            for (CommandLine program : each.programs()) {
                beside.saveProgram(program, List.of("magnet-" + each.name() + "(1)", "magnet.conf(5)"));
            }
        }
        for (CommandLine subcommand : own) {
            pages.add(savePage(subcommand, List.of("magnet(1)", "magnetd(8)")));
        }
        save("magnet.1", top.text(1, top.header(), source, pages));
        saveProgram(new CommandLine(new Magnetd()), List.of("magnet(1)", "magnet.conf(5)", "gmond.conf(5)"));
        save("magnet.conf.5", ConfigPage.text(Files.readAllLines(shippedConfig), source));
        save("magnet.bash", JobCompletion.addTo(completion("magnet", magnet)));
    }

    /** The page of a program of its own, and what lets bash complete it. */
    private void saveProgram(CommandLine program, List<String> seeAlso) throws IOException {
        CommandPage page = new CommandPage(program);
        save(page.name() + ".8", page.text(8, page.header(), source, seeAlso));
        save(page.name() + ".bash", completion(page.name(), program));
    }

    /** The page of a command, and those of the commands below it. Returns what other pages call it. */
    private String savePage(CommandLine command, List<String> above) throws IOException {
        CommandPage page = new CommandPage(command);
        String name = page.name() + "(1)";
        List<String> seeAlso = new ArrayList<>(above);
        for (CommandLine below : command.getSubcommands().values()) {
            seeAlso.add(savePage(below, List.of(name)));
        }
        save(page.name() + ".1", page.text(1, page.header(), source, seeAlso));
        return name;
    }

    /** Bash reads it in; nobody runs it. */
    static String completion(String program, CommandLine command) {
        return AutoComplete.bash(program, command).replaceFirst("^#!.*\n", "");
    }

    private void save(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }
}

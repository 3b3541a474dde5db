import { Command, CommanderError } from "commander";
import { productVersion } from "@web-tester/contracts/version";
import { addCheck } from "./commands/check.js";
import { addObjects } from "./commands/objects.js";
import { addReview } from "./commands/review.js";
import { addRuns } from "./commands/runs.js";
import { addSearch } from "./commands/search.js";
import { addServing } from "./commands/serving.js";
import { addTransfer } from "./commands/transfer.js";
import { type Common, exitCodes, type ProgramParts, Session } from "./session.js";

export { exitCodes, type ProgramParts };

/** @returns a function that runs a command line and returns its exit code */
export function createProgram(parts: ProgramParts): (argv: readonly string[]) => Promise<number> {
  const session = new Session(parts);
  const program = new Command("web-tester")
    .description("Website monitoring and snapshot testing on the command line")
    .version(productVersion, "--version", "print the version of this program")
    .option("--server <url>", "address of the server (WEB_TESTER_URL; its token: WEB_TESTER_TOKEN)")
    .option("--local", "start the product for this command, and stop it afterwards (WEB_TESTER_HOME: its folder)")
    .option("--data <folder>", "with --local: folder for its data, .web-tester by default")
    .option("--json", "print JSON")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void parts.out.write(text),
      writeErr: (text) => void parts.progress.write(text),
    })
    .addHelpText(
      "after",
      "\nExit codes: 0 nothing differs or all of it was accepted, 1 differences wait for review, 2 pages failed, 3 it could not run.",
    );
  program.hook("preAction", () => {
    session.common = program.opts<Common>();
  });
  for (const add of [addObjects, addRuns, addCheck, addReview, addSearch, addTransfer, addServing])
    add(program, session);

  return async (argv) => {
    try {
      await program.parseAsync(hoisted(argv));
      return session.code;
    } catch (error) {
      if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.clean : exitCodes.cannotRun;
      return await session.fail(error);
    } finally {
      await session.close();
    }
  };
}

/** Moves global options to the front, because users may write them after the command as well. */
function hoisted(argv: readonly string[]): string[] {
  const [node = "", script = "", ...rest] = argv;
  const own: string[] = [];
  const others: string[] = [];
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? "";
    if (word === "--") return [node, script, ...own, ...others, ...rest.slice(index)];
    if (word === "--json" || word === "--local") own.push(word);
    else if (word === "--server" || word === "--data") own.push(word, rest[++index] ?? "");
    else others.push(word);
  }
  return [node, script, ...own, ...others];
}

import type { Command } from "commander";
import { printable } from "../report/reports.js";
import type { Session } from "../session.js";

/** Adds the commands `objects` and `add`. */
export function addObjects(program: Command, session: Session): void {
  program
    .command("objects")
    .description("list the test objects")
    .action(async () => {
      const objects = await (await session.call())("listTestObjects");
      const lines = objects.map(
        ({ id, name, url, review }) =>
          `${printable(`${id}  ${name}  ${url}${review === null ? "" : `  ${review.waiting} to review`}`)}\n`,
      );
      session.print(objects, lines.join(""));
    });

  program
    .command("add <url>")
    .description("register a site")
    .option("--name <name>", "what it is called; its host without one")
    .action(async (url: string, { name }: { name?: string }) => {
      const body = { name: name ?? URL.parse(url)?.host ?? url, url };
      const object = await (await session.call())("createTestObject", { body });
      session.print(object, `${printable(`${object.id}  ${object.name}  ${object.url}`)}\n`);
    });
}

import { spawn } from "node:child_process";
import type { Command } from "commander";
import { findObject } from "../find-object.js";
import { serveAssistants } from "../mcp/serve-assistants.js";
import type { Session } from "../session.js";

/** Adds the commands `open` and `mcp`. */
export function addServing(program: Command, session: Session): void {
  program
    .command("open [object]")
    .description("open the screens in a browser; with --local the product runs until Ctrl-C")
    .option("--print", "only print the address")
    .action(async (named: string | undefined, { print }: { print?: boolean }) => {
      const { url } = await session.server({ isOpen: true });
      const call = await session.call();
      const address = named === undefined ? `${url}/` : `${url}/objects/${(await findObject(call, named)).id}`;
      session.print({ address }, `${address}\n`);
      if (print !== true) openBrowser(address);
      if (session.common.local === true) await ended(session.signal);
    });

  program
    .command("mcp")
    .description("answer an assistant over standard input and output (Model Context Protocol)")
    .action(() => serveAssistants(session));
}

const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Opens an address in the browser; a machine without one ignores it, as the address is printed anyway. */
function openBrowser(address: string): void {
  const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, address], { detached: true, stdio: "ignore" });
  child.once("error", () => undefined);
  child.unref();
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    // keeps the event loop alive until then
    const alive = setInterval(() => undefined, 60_000);
    const end = () => {
      clearInterval(alive);
      done();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });

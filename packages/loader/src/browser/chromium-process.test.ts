import { expect, test } from "@jest/globals";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchChromium } from "./chromium-process.js";

test("what Playwright turns on in the browser stays on: of several lists only the last one counts", async () => {
  const folder = await mkdtemp(join(tmpdir(), "web-tester-switches-"));
  try {
    // a browser that only notes how it was started
    const [program, noted] = [join(folder, "browser"), join(folder, "switches")];
    const script = `#!${process.execPath}\nrequire("node:fs").writeFileSync(${JSON.stringify(noted)}, JSON.stringify(process.argv.slice(2)));\n`;
    await writeFile(program, script, { mode: 0o755 });
    await expect(launchChromium({ executablePath: program, env: {} }, 1, "test")).rejects.toMatchObject({
      code: "browser_unavailable",
    });
    const switches: string[] = JSON.parse(await readFile(noted, "utf8"));
    const lists = switches.flatMap((text) => text.match(/^--enable-features=(.*)$/)?.[1]?.split(",") ?? []);
    const last = switches.findLast((text) => text.startsWith("--enable-features="))?.slice("--enable-features=".length);
    expect(lists).toContain("RenderDocument:level/crashed-frame");
    expect([...new Set(lists)].toSorted()).toEqual(last?.split(",").toSorted());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

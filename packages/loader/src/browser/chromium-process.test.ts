import { expect, test } from "@jest/globals";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchChromium, residentTogether } from "./chromium-process.js";

test.each([
  ["on", "--enable-features=", "RenderDocument:level/crashed-frame"],
  ["off", "--disable-features=", "SpareRendererForSitePerProcess"],
])(
  "what Playwright turns %s in the browser stays so: of several lists only the last one counts",
  async (_, name, ours) => {
    const folder = await mkdtemp(join(tmpdir(), "web-tester-switches-"));
    try {
      // a fake browser that only records how it was started
      const [program, noted] = [join(folder, "browser"), join(folder, "switches")];
      const script = `#!${process.execPath}\nrequire("node:fs").writeFileSync(${JSON.stringify(noted)}, JSON.stringify(process.argv.slice(2)));\n`;
      await writeFile(program, script, { mode: 0o755 });
      await expect(launchChromium({ executablePath: program, env: {} }, 1, "test")).rejects.toMatchObject({
        code: "browser_unavailable",
      });
      const switches: string[] = JSON.parse(await readFile(noted, "utf8"));
      const lists = switches.filter((text) => text.startsWith(name)).map((text) => text.slice(name.length).split(","));
      expect(lists.flat()).toContain(ours);
      expect(lists.length).toBeGreaterThan(1);
      expect([...new Set(lists.flat())].toSorted()).toEqual(lists.at(-1)?.toSorted());
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test("what processes hold together counts the pages of files that they share once", () => {
  const program = { fileBytes: 110 };
  expect(
    residentTogether([
      { pid: 1, type: "browser", bytes: 200, ...program },
      { pid: 2, type: "renderer", bytes: 500, ...program },
      { pid: 3, type: "renderer", bytes: 150, fileBytes: 120 },
    ]),
  ).toBe(90 + 390 + 30 + 120);
  expect(residentTogether([])).toBe(0);
});

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "@jest/globals";
import { productVersion } from "@web-tester/contracts/version";
import { createProgram } from "@web-tester/cli/program";

async function run(args: string[], env: Record<string, string> = {}) {
  const said = { out: "", progress: "" };
  const program = createProgram({
    ...{ env, out: { write: (text) => (said.out += text) }, progress: { write: (text) => (said.progress += text) } },
    onInterrupt: () => undefined,
  });
  return { code: await program(["node", "web-tester", ...args]), ...said };
}

test("it says its version, which is that of the product", async () => {
  expect(await run(["--version"])).toEqual({ code: 0, out: `${productVersion}\n`, progress: "" });
  for (const folder of ["../..", "../../packages/cli"]) {
    const about: unknown = JSON.parse(await readFile(resolve(import.meta.dirname, folder, "package.json"), "utf8"));
    expect(about).toMatchObject({ version: productVersion });
  }
});

test("a password in the address of the server is refused, and not repeated", async () => {
  const { code, out, progress } = await run(["objects"], { WEB_TESTER_URL: "http://me:secret@127.0.0.1:9" });
  expect([code, out]).toEqual([3, ""]);
  expect(progress).toMatch(/has a user name or password in it/);
  expect(progress).not.toContain("secret");
});

test("variables of a pipeline that are empty are told by their names", async () => {
  expect(await run(["objects"], { WEB_TESTER_URL: " " })).toMatchObject({
    ...{ code: 3, progress: expect.stringMatching(/^WEB_TESTER_URL is empty\./) },
  });
  expect(await run(["check", "a", "--fail-on", ""])).toMatchObject({
    ...{ code: 3, progress: expect.stringMatching(/Give one or more of changed,new,gone,failed\.\n$/) },
  });
});

test("a check that could not run leaves a report that says so, in a folder that was not there", async () => {
  const folder = await mkdtemp(join(tmpdir(), "web-tester-reports-"));
  try {
    const file = join(folder, "reports", "junit.xml");
    const { code, progress } = await run(["check", "shop", "--junit", file], { WEB_TESTER_URL: "nowhere" });
    expect([code, progress.trim()]).toEqual([3, expect.stringMatching(/is not the address of a server/)]);
    expect(await readFile(file, "utf8")).toMatch(/errors="1"[^]*<error message="“nowhere” is not the address/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

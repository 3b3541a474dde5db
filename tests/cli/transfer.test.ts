import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createProgram } from "@web-tester/cli/program";

/** Exports and imports of the command line, to and from files and pipes. */
const main = join(import.meta.dirname, "../../packages/cli/dist/main.js");
let received = "";
let address = "";
let server: Server;
let folder = "";
let answer: (response: ServerResponse) => void = () => undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-cli-"));
  server = createServer((request, response) => {
    received = "";
    address = request.url ?? "";
    request.setEncoding("utf8").on("data", (part: string) => (received += part));
    request.once("end", () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

async function run(...args: string[]): Promise<{ code: number; out: string; progress: string }> {
  const said = { out: "", progress: "" };
  const { port } = server.address() as AddressInfo;
  const program = createProgram({
    env: { WEB_TESTER_URL: `http://127.0.0.1:${port}` },
    out: { write: (text) => (said.out += text) },
    progress: { write: (text) => (said.progress += text) },
    onInterrupt: () => undefined,
  });
  return { code: await program(["node", "web-tester", ...args]), ...said };
}

test("an export that breaks off leaves the older file whole, and nothing beside it", async () => {
  const file = join(folder, "all.json");
  answer = (response) => response.end("the older one");
  expect(await run("export", file)).toMatchObject({ code: 0, out: `13 bytes in ${file}\n` });
  answer = (response) => response.write("half of", () => response.destroy());
  const { code, progress } = await run("export", file);
  expect([code, progress]).toEqual([3, expect.stringMatching(/closed the connection, so .* was not written/)]);
  expect(await readFile(file, "utf8")).toBe("the older one");
  expect(await readdir(folder)).toEqual(["all.json"]);
  answer = (response) => response.end("newer");
  expect((await run("export", file)).code).toBe(0);
  expect(await readFile(file, "utf8")).toBe("newer");
  const nowhere = await run("export", join(folder, "no", "where.json"));
  expect([nowhere.code, nowhere.progress]).toEqual([3, expect.stringContaining("Cannot write the file")]);
});

const none = { objects: 0, instances: 0, snapshots: 0 };
const imported = { jobId: "x", objects: 1, instances: 2, snapshots: 0, existing: none, notes: [] };

test("an import says what it added, what was there, and what is left for a person to do", async () => {
  const file = join(folder, "site.wacz");
  await writeFile(file, "PK");
  const done = { ...imported, existing: { ...none, snapshots: 3 }, notes: ["Left out: 2\nof them."] };
  answer = (response) => response.end(JSON.stringify(done));
  const { code, out } = await run("import", file);
  expect([code, address]).toEqual([0, "/api/import?name=site.wacz"]);
  expect(out.split("\n")).toEqual([
    `${file} is imported: 1 object, 2 instances, 0 snapshots new.`,
    "Known before, and left as they are: 0 objects, 0 instances, 3 snapshots.",
    "Left out: 2 of them.",
    "",
  ]);
  expect(JSON.parse((await run("--json", "import", file)).out)).toEqual(done);
});

test("of a file that is refused all faults are told", async () => {
  const file = join(folder, "wrong.json");
  await writeFile(file, "{}");
  const fault = (record: number) => ({ list: "testObjects", record, line: 1, message: "url: Enter a full URL" });
  const message =
    "Nothing was imported: testObjects record 1 (line 1): url: Enter a full URL. And 1 more fault, see details.";
  answer = (response) => {
    response.statusCode = 400;
    response.end(JSON.stringify({ status: 400, code: "invalid_input", message, details: [fault(1), fault(2)] }));
  };
  const { code, out, progress } = await run("import", file);
  expect([code, out]).toEqual([3, ""]);
  expect(progress).toContain(`${message}\ntestObjects record 2 (line 1): url: Enter a full URL\n`);
});

/** Runs the program as a process of its own. @param input text that is piped to its standard input */
async function pipe(input: string, ...args: string[]) {
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, [main, "--server", `http://127.0.0.1:${port}`, ...args]);
  const said = { out: "", progress: "" };
  child.stdout.on("data", (part: Buffer) => (said.out += part.toString()));
  child.stderr.on("data", (part: Buffer) => (said.progress += part.toString()));
  child.stdin.end(input);
  const [code] = await once(child, "close");
  return { code, ...said };
}

test.each(["-", "/dev/stdout"])("an export to %s is the export and nothing else", async (file) => {
  answer = (response) => response.end('{"testObjects":[]}');
  expect(await pipe("", "export", file)).toEqual({
    code: 0,
    out: '{"testObjects":[]}',
    progress: "Export: 18 bytes\n",
  });
});

test.each(["-", "/dev/stdin"])("what comes through a pipe is imported from %s", async (file) => {
  answer = (response) => response.end(JSON.stringify(imported));
  expect(await pipe('{"testObjects":[]}', "import", file)).toMatchObject({
    code: 0,
    out: `${file} is imported: 1 object, 2 instances, 0 snapshots new.\n`,
  });
  expect(address).toBe("/api/import");
  expect(received).toBe('{"testObjects":[]}');
});

test("a file that cannot be written or read is what is told, and not that the server is away", async () => {
  // the response has not ended yet when the file turns out not to be writable
  answer = (response) => void response.write("half of");
  expect(await run("export", join(folder, "no", "where.json"))).toMatchObject({
    code: 3,
    progress: expect.stringMatching(/Cannot write the file .*where\.json: .*ENOENT/),
  });
  expect(await run("import", join(folder, "none.json"))).toMatchObject({
    code: 3,
    progress: expect.stringMatching(/Cannot read .*none\.json: .*ENOENT/),
  });
  expect(await run("import", folder)).toMatchObject({
    code: 3,
    progress: `Cannot read ${folder}: it is a folder\n`,
  });
});

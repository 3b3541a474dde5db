import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";

// Real processes with real signals; they run the TypeScript source with Node's own type stripping.

const here = dirname(fileURLToPath(import.meta.url));
const packages = pathToFileURL(join(here, "..", "..", "..")).href;
const children: ChildProcess[] = [];
let folder: string;
let hooks: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lifecycle-"));
  hooks = join(folder, "hooks.mjs");
  await writeFile(
    hooks,
    `import { registerHooks } from "node:module";
registerHooks({
  resolve(specifier, context, next) {
    const own = /^@web-tester\\/([a-z]+)\\/(.+)$/.exec(specifier);
    if (own) return next(\`${packages}/\${own[1]}/src/\${own[2]}.ts\`, context);
    if (specifier.startsWith(".") && context.parentURL?.endsWith(".ts")) return next(specifier.replace(/\\.js$/, ".ts"), context);
    return next(specifier, context);
  },
});`,
  );
});

afterAll(async () => {
  for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

const env = {
  PATH: process.env["PATH"],
  DATABASE_URL: "postgres://u:p@127.0.0.1/db",
  NATS_URL: "nats://127.0.0.1:1",
  STORAGE_URL: "file:/nowhere",
};

/** Starts a process that runs a service named "tester" whose start function has the given body. */
async function serve(body: string, more: Record<string, string> = {}) {
  const script = join(folder, `${children.length}.mjs`);
  await writeFile(
    script,
    `const { runService } = await import(${JSON.stringify(pathToFileURL(join(here, "lifecycle.ts")).href)});
await runService("tester", async (config, log, signal) => { ${body} });`,
  );
  const child = spawn(process.execPath, ["--no-warnings", "--import", pathToFileURL(hooks).href, script], {
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  children.push(child);
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("no pipes");
  const out = { text: "", errors: "" };
  stdout.setEncoding("utf8").on("data", (part: string) => (out.text += part));
  stderr.setEncoding("utf8").on("data", (part: string) => (out.errors += part));
  // "close" would say the same, but is not emitted after disconnect().
  const ended = Promise.all([once(child, "exit"), once(stdout, "end"), once(stderr, "end")]);
  return {
    child,
    out,
    /** Resolves when the process has written a text; rejects if the process ends before. */
    async says(text: string): Promise<void> {
      while (!out.text.includes(text)) {
        if (stdout.readableEnded) throw new Error(`it ended after: ${out.text}${out.errors}`);
        await Promise.race([once(stdout, "data"), ended]);
      }
    },
    async end(): Promise<number | null> {
      await ended;
      return child.exitCode;
    },
  };
}

describe.each(["SIGTERM", "SIGINT"] as const)("told to end by %s", (signal) => {
  test("aborts, stops and exits with 0", async () => {
    const service = await serve(
      `signal.addEventListener("abort", () => log.info("heard it")); return { async stop() { log.info("tidied up"); } };`,
    );
    await service.says("Started");
    service.child.kill(signal);
    expect(await service.end()).toBe(0);
    const lines = service.out.text.trim().split("\n");
    const messages = lines.map((line) => /"msg":"([^"]*)"/.exec(line)?.[1]);
    expect(messages).toEqual(["Started", "Stopping", "heard it", "tidied up", "Stopped"]);
    expect(service.out.errors).toBe("");
  }, 20_000);
});

test("a second signal does not cut the stop short", async () => {
  const service = await serve(
    `return { async stop() { log.info("stopping now"); await new Promise((resolve) => process.once("message", resolve)); log.info("tidied up"); } };`,
  );
  await service.says("Started");
  service.child.kill("SIGINT");
  await service.says("stopping now");
  service.child.kill("SIGTERM");
  service.child.send("go on");
  expect(await service.end()).toBe(0);
  expect(service.out.text).toContain("tidied up");
}, 20_000);

test("a signal breaks off a start that listens to it", async () => {
  const service = await serve(
    `log.info("starting"); await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));`,
  );
  await service.says("starting");
  service.child.kill("SIGTERM");
  expect(await service.end()).toBe(0);
}, 20_000);

describe("when the parent process is gone", () => {
  test("an embedded service ends", async () => {
    const service = await serve("return {};", { MODE: "embedded" });
    await service.says("Started");
    service.child.disconnect();
    expect(await service.end()).toBe(0);
    expect(service.out.text).toContain("the parent process is gone");
  }, 20_000);

  test("a service of its own lives on", async () => {
    const service = await serve(`process.once("disconnect", () => log.info("alone")); return {};`, { MODE: "cluster" });
    await service.says("Started");
    service.child.disconnect();
    await service.says("alone");
    expect(service.child.exitCode).toBeNull();
    service.child.kill("SIGTERM");
    expect(await service.end()).toBe(0);
    expect(service.out.text).not.toContain("the parent process is gone");
  }, 20_000);
});

test("the end of a connection that nothing handles is logged and survived", async () => {
  const service = await serve(
    `setTimeout(() => { throw Object.assign(new Error("cut off"), { code: "ERR_STREAM_PREMATURE_CLOSE" }); }, 1);
     setTimeout(() => Promise.reject(Object.assign(new Error("reset"), { code: "ECONNRESET" })), 1);
     setTimeout(() => log.info("alive"), 50); return {};`,
  );
  await service.says("alive");
  expect(service.out.text).toMatch(/"level":"error".+cut off[^]*"level":"error".+reset/);
  service.child.kill("SIGTERM");
  expect(await service.end()).toBe(0);
}, 20_000);

describe("ends with 1", () => {
  test("and one line on standard error when the configuration is faulty", async () => {
    const service = await serve("return {};", { PORT: "http", SECRET_KEY: "not-shown" });
    expect(await service.end()).toBe(1);
    expect(service.out.text).toBe("");
    expect(service.out.errors).toMatch(/^tester: The configuration has 2 faults\. PORT is "http": [^\n]*\n$/);
    expect(service.out.errors).not.toContain("not-shown");
  }, 20_000);

  test.each([
    ["it cannot start", `throw new Error("no way to start");`, "no way to start"],
    [
      "a promise is rejected and nobody looks",
      `setTimeout(() => Promise.reject(new Error("lost one")), 1); return {};`,
      "lost one",
    ],
    [
      "an error is thrown and nobody catches it",
      `setTimeout(() => { throw new Error("thrown one"); }, 1); return {};`,
      "thrown one",
    ],
    [
      "it cannot stop",
      `setTimeout(() => process.kill(process.pid, "SIGTERM"), 1); return { async stop() { throw new Error("stuck here"); } };`,
      "stuck here",
    ],
  ])(
    "when %s",
    async (_name, body, words) => {
      const service = await serve(body);
      expect(await service.end()).toBe(1);
      const last = service.out.text.trim().split("\n").at(-1);
      expect(last).toContain('"level":"fatal"');
      expect(last).toContain(words);
    },
    20_000,
  );

  test("when stopping takes longer than its time", async () => {
    // The child's own clock is sped up, so that 25 s pass at once.
    const service = await serve(
      `const slow = globalThis.setTimeout; globalThis.setTimeout = (run, ms) => slow(run, ms / 1000); return { stop: () => new Promise(() => {}) };`,
    );
    await service.says("Started");
    service.child.kill("SIGTERM");
    expect(await service.end()).toBe(1);
    expect(service.out.text).toContain("did not stop within 25 s");
  }, 20_000);
});

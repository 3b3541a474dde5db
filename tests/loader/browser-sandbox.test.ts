import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type BrowserPool, createBrowserPool } from "@web-tester/loader/browser/browser-pool";
import { browserUid } from "@web-tester/loader/browser/browser-user";
import { findChromium } from "@web-tester/loader/browser/find-chromium";
import { createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createFilteringProxy } from "@web-tester/platform/egress/filtering-proxy";

const isRoot = process.getuid?.() === 0;
const secret = "a-secret-that-no-browser-needs";
let folder: string;
let said: string[];
let real: { executablePath: string; env: Record<string, string> };
/** Why this machine allows no sandbox; null where it does. Containers often do not. */
let noSandbox: string | null;

beforeAll(async () => {
  process.env["SECRET_KEY"] = secret;
  folder = await mkdtemp(join(tmpdir(), "web-tester-sandbox-"));
  await chmod(folder, 0o777); // the browser's user writes here if the tests run as root
  real = await findChromium(process.env["CHROMIUM_PATH"]);
  noSandbox = await using({}, async (pool) => (await pool.introduce()).isolation.unsandboxed);
}, 60_000);
afterAll(async () => {
  delete process.env["SECRET_KEY"];
  await rm(folder, { recursive: true, force: true });
});

/** Runs `work` with a pool that starts the real browser, or a program of these `lines` in front of it. */
async function using<Result>(
  { lines, sandbox }: { lines?: string; sandbox?: "required" | "preferred" | "off" },
  work: (pool: BrowserPool) => Promise<Result>,
): Promise<Result> {
  said = [];
  let chromiumPath = process.env["CHROMIUM_PATH"];
  if (lines !== undefined) {
    chromiumPath = join(folder, "browser");
    const settings = Object.entries(real.env).map(([name, value]) => `export ${name}='${value}'\n`);
    await writeFile(chromiumPath, `#!/bin/sh\n${settings.join("")}${lines}\nexec '${real.executablePath}' "$@"\n`);
    await chmod(chromiumPath, 0o755);
  }
  const proxy = createFilteringProxy(createAddressPolicy({ private: "deny", allow: [], ownAddresses: [] }));
  const pool = createBrowserPool({
    chromiumPath,
    proxy,
    userAgent: "test",
    log: (message) => said.push(message),
    ...(sandbox === undefined ? {} : { sandbox }),
  });
  try {
    return await work(pool);
  } finally {
    await pool.close();
    await proxy.close();
  }
}

const grant = { consent: null, maxBytes: 1, onOverBudget: () => undefined, enter: async () => () => undefined };
const { signal } = new AbortController();

/** Returns what the kernel says about the processes of a browser with one page open. */
async function processesOf(pool: BrowserPool) {
  return pool.withPage({ owner: "a", grant, deadlineMs: 30_000, signal }, async ({ page }) => {
    const browser = page.context().browser();
    if (browser === null) throw new Error("no browser");
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    return Promise.all(
      processInfo.map(async ({ id, type }) => {
        const status = await readFile(`/proc/${id}/status`, "utf8");
        return {
          type,
          uid: Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]),
          seccomp: Number(/^Seccomp:\s+(\d+)/m.exec(status)?.[1]),
          environment: await readFile(`/proc/${id}/environ`, "latin1").catch(() => ""),
        };
      }),
    );
  });
}

const refuseSandbox = `case " $* " in *" --no-sandbox "*|*" --version "*) ;; *) echo "No usable sandbox! Update your kernel" >&2; exit 1 ;; esac`;

test("where there can be a sandbox pages are drawn in it, and nowhere with our keys", async () => {
  await using({}, async (pool) => {
    const processes = await processesOf(pool);
    const renderer = processes.find(({ type }) => type === "renderer");
    expect(renderer?.seccomp).toBe(noSandbox === null ? 2 : 0);
    expect(pool.state()?.words).toMatch(noSandbox === null ? / with its sandbox, / : / WITHOUT its sandbox \(/);
    expect(said.filter((line) => line.includes("WITHOUT"))).toHaveLength(noSandbox === null ? 0 : 1);
    for (const { environment } of processes) expect(environment).not.toContain(secret);
    if (isRoot && pool.state()?.isolation.asRoot === null)
      expect(new Set(processes.map(({ uid }) => uid))).toEqual(new Set([browserUid]));
  });
  // the control: with `off` the same page is drawn without a sandbox
  await using({ sandbox: "off" }, async (pool) => {
    const processes = await processesOf(pool);
    expect(processes.find(({ type }) => type === "renderer")?.seccomp).toBe(0);
    expect(pool.state()?.words).toContain("WITHOUT its sandbox (CHROMIUM_SANDBOX=off says so)");
  });
}, 60_000);

(isRoot ? test : test.skip)("the browser's user cannot read what a process of root holds (needs root)", async () => {
  const read = ["cat", `/proc/${process.pid}/environ`] as const;
  const other = [`--reuid=${browserUid}`, `--regid=${browserUid}`, "--clear-groups", "--"];
  await expect(promisify(execFile)("setpriv", [...other, ...read])).rejects.toThrow(/Permission denied/);
  // the control: root can
  expect((await promisify(execFile)("cat", [read[1]])).stdout.length).toBeGreaterThan(0);
});

test("a browser that can make no sandbox is started without one only where that is allowed, and it is said", async () => {
  await using({ lines: refuseSandbox, sandbox: "required" }, async (pool) => {
    await expect(pool.introduce()).rejects.toMatchObject({
      code: "browser_unavailable",
      message: expect.stringMatching(/no sandbox and CHROMIUM_SANDBOX=required .*user namespaces are forbidden/),
    });
    expect(await pool.problem()).toContain("CHROMIUM_SANDBOX=required");
  });
  await using({ lines: refuseSandbox, sandbox: "preferred" }, async (pool) => {
    expect((await pool.introduce()).words).toMatch(/ WITHOUT its sandbox \(this system lets it make none/);
    expect(said).toEqual([expect.stringMatching(/WITHOUT its sandbox .*operator's guide/)]);
  });
}, 60_000);

test("one that fails to start by chance is started again with its sandbox", async () => {
  const once = join(folder, "once");
  await rm(once, { force: true });
  const lines = `case "$*" in *--version*) ;; *) if [ ! -e '${once}' ]; then : > '${once}'; kill -9 $$; fi ;; esac`;
  await using({ lines }, async (pool) => {
    expect((await pool.introduce()).isolation.unsandboxed).toEqual(noSandbox);
  });
}, 60_000);

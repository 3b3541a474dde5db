import { readFile } from "node:fs/promises";
import type { Browser, CDPSession } from "playwright-core";
import { AppError } from "@web-tester/contracts/errors";
import { browserFolder, temporaryFolder, withTemporaryFolder } from "./browser-folder.js";
import { asOtherUser, browserUid, type ChromiumProgram } from "./browser-user.js";

/** Value of CHROMIUM_SANDBOX. */
export type SandboxSetting = "required" | "preferred" | "off";

/** The barriers between a page that breaks out of its renderer and this machine. */
export interface Isolation {
  /** Why there is no sandbox, as the end of a sentence; null where there is one. */
  unsandboxed: string | null;
  /** Why it runs as root, as the end of a sentence; null where it does not. */
  asRoot: string | null;
}

/** One running Chromium. */
export interface ChromiumProcess {
  browser: Browser;
  isolation: Isolation;
  /** Whether it asks a person, in a dialog that nobody sees, for the password of a file that wants one; a headless shell does not. */
  asksForPasswords: boolean;
  /** The User-Agent of its pages. */
  userAgent: string;
  /** Rejects when it ends, for whatever reason. */
  gone: Promise<never>;
  /** The memory of its processes; empty where this system does not tell. @see proc_pid_status(5) */
  memory(): Promise<ProcessMemory[]>;
  /** Resolves once it has answered a question that is no work; rejects when it ends. */
  answers(): Promise<unknown>;
  /** Kills it at once. */
  kill(): void;
}

/** A host name that only Chromium's own resolver knows: it resolves no other name or address, so nothing bypasses the proxy. */
export const proxyHost = "web-tester-proxy";

/**
 * Features that Playwright turns on: of several switches of one name only the last counts, so ours repeats Playwright's. A
 * test checks that the lists agree.
 */
const turnedOnByPlaywright = ["CDPScreenshotNewSurface", "SkipListAccountsWithoutGaiaCookies"];
const turnedOffByPlaywright = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "TcpPortRandomizationWin",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  "msForceBrowserSignIn",
  "msEdgeUpdateLaunchServicesPreferredVersion",
];

/** @see https://peter.sh/experiments/chromium-command-line-switches/ */
const switches = [
  `--host-resolver-rules=MAP ${proxyHost} 127.0.0.1 , MAP * ~NOTFOUND`,
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  // one request per connection at a time, so that the proxy can limit requests by limiting connections
  "--disable-http2",
  "--dns-prefetch-disable",
  "--no-pings",
  "--disable-domain-reliability",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-default-apps",
  "--disable-breakpad",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--mute-audio",
  "--deny-permission-prompts",
  "--disable-notifications",
  "--disable-speech-api",
  "--js-flags=--max-old-space-size=768",
  // a tab in the background works like one in the foreground
  "--disable-renderer-backgrounding",
  /*
   * A document of the same site reuses the frame of the one before, as in older versions of Chromium: making a new frame
   * is a fifth of the cost of a page. What a page leaves in its frame is removed (tab.ts).
   */
  `--enable-features=${[...turnedOnByPlaywright, "RenderDocument:level/crashed-frame"].join(",")}`,
  /*
   * A full Chromium keeps a spare renderer for the next site: with tabs that serve one site only it starts and discards
   * one for each page, a fifth of the page's cost.
   */
  `--disable-features=${[...turnedOffByPlaywright, "SpareRendererForSitePerProcess"].join(",")}`,
];

const launchMs = 30_000;
/** A socket is made in the temporary folder, whose path may have 108 characters; the name adds 45. */
const socketFolderMax = 60;

/**
 * Starts Chromium with no access to the network but the proxies of its contexts.
 * @param deadPort the port of a proxy listener that is never opened, for requests that belong to no page
 * @throws AppError browser_unavailable where the program does not start
 */
export async function launchChromium(
  program: ChromiumProgram,
  deadPort: number,
  agent: string,
  sandbox: SandboxSetting = "preferred",
): Promise<ChromiumProcess> {
  const { browser, isolation } = await launch(program, deadPort, sandbox);
  const gone = new Promise<never>((_resolve, reject) => {
    browser.once("disconnected", () => reject(new AppError("browser_crashed", "The browser broke down.")));
  });
  gone.catch(() => undefined);
  // Playwright never settles calls during which the browser ends
  const session = await Promise.race([browser.newBrowserCDPSession(), gone]);
  const { processInfo } = await Promise.race([session.send("SystemInfo.getProcessInfo"), gone]);
  const { product } = await Promise.race([session.send("Browser.getVersion"), gone]);
  const pid = processInfo.find(({ type }) => type === "browser")?.id;
  const major = browser.version().split(".", 1)[0] ?? "0";
  return {
    browser,
    isolation,
    asksForPasswords: !product.startsWith("HeadlessChrome/"),
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36 ${agent}`,
    gone,
    memory: () => readMemory(session),
    answers: () => Promise.race([session.send("Browser.getVersion"), gone]),
    kill() {
      if (pid === undefined) return;
      // it leads its own process group
      for (const target of process.platform === "win32" ? [pid] : [-pid, pid]) {
        try {
          process.kill(target, "SIGKILL");
          return;
        } catch {
          // it has ended already, or leads no group: then the process itself is killed
        }
      }
    },
  };
}

interface Launched {
  browser: Browser;
  isolation: Isolation;
}

/**
 * Launches with its sandbox, and as another user where we are root. Where a required sandbox cannot be had, it refuses;
 * where it is only preferred, the reason is reported. Chromium itself refuses to start where it cannot make the sandbox
 * that it was asked for.
 */
async function launch(program: ChromiumProgram, deadPort: number, sandbox: SandboxSetting): Promise<Launched> {
  // where we can have no folder of our own, everything lies where every program's temporary files do
  const folder = await browserFolder().catch(() => temporaryFolder);
  const user = process.platform === "linux" && process.getuid?.() === 0 ? await asOtherUser(program, folder) : null;
  const asRoot = user !== null && "reason" in user ? user.reason : null;
  const path = user !== null && "executablePath" in user ? user.executablePath : program.executablePath;
  try {
    const start = (isSandboxed: boolean) =>
      startProgram({ ...program, executablePath: path }, deadPort, isSandboxed, folder);
    if (sandbox === "off")
      return { browser: await start(false), isolation: { unsandboxed: "CHROMIUM_SANDBOX=off says so", asRoot } };
    if (asRoot !== null && sandbox === "required") throw withoutSandbox(program, asRoot);
    let unsandboxed = asRoot;
    if (unsandboxed === null) {
      try {
        return { browser: await startSandboxed(start), isolation: { unsandboxed: null, asRoot } };
      } catch (error) {
        unsandboxed = whyUnsandboxed(error);
        if (sandbox === "required") throw withoutSandbox(program, unsandboxed, error);
      }
    }
    return { browser: await start(false), isolation: { unsandboxed, asRoot } };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      "browser_unavailable",
      `The browser ${program.executablePath} does not start (${firstLineOf(error)}). Install Chrome or Chromium with the libraries it needs, or set CHROMIUM_PATH to one that starts.`,
      { cause: error },
    );
  } finally {
    if (user !== null && "remove" in user) await user.remove();
  }
}

/** Starts it with its sandbox, a second time where it may only have been killed while it started. */
async function startSandboxed(start: (isSandboxed: boolean) => Promise<Browser>): Promise<Browser> {
  try {
    return await start(true);
  } catch (error) {
    if (isOfSandbox(error)) throw error;
    return start(true);
  }
}

function isOfSandbox(error: unknown): boolean {
  return /No usable sandbox|without --no-sandbox|setuid_sandbox|credentials\.cc|namespace_sandbox/i.test(String(error));
}

function whyUnsandboxed(error: unknown): string {
  if (isOfSandbox(error))
    return "this system lets it make none (user namespaces are forbidden to it: by the seccomp profile of the container, AppArmor, or kernel.unprivileged_userns_clone)";
  return `it does not start with one (${firstLineOf(error)})`;
}

function withoutSandbox({ executablePath }: ChromiumProgram, reason: string, cause?: unknown): AppError {
  return new AppError(
    "browser_unavailable",
    `The browser ${executablePath} was not started, as it would have no sandbox and CHROMIUM_SANDBOX=required wants one: ${reason}. Allow it what is missing, or set CHROMIUM_SANDBOX=preferred.`,
    { cause },
  );
}

function firstLineOf(error: unknown): string {
  const words = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
  return words ?? "no reason given";
}

/** Describes the isolation in words, for the log and `/readyz`. */
export function describeIsolation({ unsandboxed, asRoot }: Isolation): string {
  const user =
    asRoot !== null ? `as root: ${asRoot}` : process.getuid?.() === 0 ? `as user ${browserUid}` : "as our own user";
  return unsandboxed === null ? `with its sandbox, ${user}` : `WITHOUT its sandbox (${unsandboxed}), ${user}`;
}

async function startProgram(
  { executablePath, env }: ChromiumProgram,
  deadPort: number,
  chromiumSandbox: boolean,
  folder: string,
): Promise<Browser> {
  // imported late: it costs half a second and 80 MB, which a process that never uses a browser need not spend
  const { chromium } = await import("playwright-core");
  const options = {
    executablePath,
    env: { ...withoutSecrets(process.env), ...env, ...(folder.length > socketFolderMax ? {} : { TMPDIR: folder }) },
    headless: true,
    chromiumSandbox,
    args: switches,
    // keeps the popup blocker on
    ignoreDefaultArgs: ["--disable-popup-blocking"],
    proxy: { server: `http://${proxyHost}:${deadPort}` },
    timeout: launchMs,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  };
  return withTemporaryFolder(folder, () => chromium.launch(options));
}

/** Returns the part of our environment that a browser needs; keys and passwords are not in it. */
function withoutSecrets(env: NodeJS.ProcessEnv): Record<string, string> {
  const needed =
    /^(?:PATH|HOME|LANG|LC_.*|TMPDIR|TEMP|TMP|FONTCONFIG_.*|LD_LIBRARY_PATH|XDG_.*|SystemRoot|USERPROFILE|LOCALAPPDATA)$/;
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && needed.test(name) ? [[name, value]] : [])),
  );
}

/** Resident memory of one process. */
export interface ProcessMemory {
  pid: number;
  type: string;
  bytes: number;
  /** The part of it that is mapped from files, above all the program's own: all of its processes share these pages. */
  fileBytes: number;
}

async function readMemory(session: CDPSession): Promise<ProcessMemory[]> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const all = await Promise.all(
    processInfo.map(async ({ id: pid, type }) => {
      const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
      const bytesOf = (name: string) => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
      return { pid, type, bytes: bytesOf("VmRSS"), fileBytes: bytesOf("RssFile") };
    }),
  );
  return all.filter(({ bytes }) => bytes > 0);
}

/** Returns the bytes that processes hold together: pages of files are counted once. */
export function residentTogether(processes: readonly ProcessMemory[]): number {
  const own = processes.reduce((sum, { bytes, fileBytes }) => sum + bytes - fileBytes, 0);
  return own + Math.max(0, ...processes.map(({ fileBytes }) => fileBytes));
}

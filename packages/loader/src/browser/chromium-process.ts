import { readFile } from "node:fs/promises";
import type { Browser, CDPSession } from "playwright-core";
import { AppError } from "@web-tester/contracts/errors";
import { asOtherUser, browserUid, type ChromiumProgram } from "./browser-user.js";

/** Value of CHROMIUM_SANDBOX. */
export type SandboxSetting = "required" | "preferred" | "off";

/** What stands between a page that breaks out of its renderer and this machine. */
export interface Isolation {
  /** Why there is no sandbox, as the end of a sentence; null where there is one. */
  unsandboxed: string | null;
  /** Why it runs as root, likewise; null where it does not. */
  asRoot: string | null;
}

/** One running Chromium. */
export interface ChromiumProcess {
  browser: Browser;
  isolation: Isolation;
  /** As its pages name themselves. */
  userAgent: string;
  /** Rejects when it ends, however it does. */
  gone: Promise<never>;
  /** What its processes hold; empty where this system does not tell. @see proc_pid_status(5) */
  memory(): Promise<ProcessMemory[]>;
  /** Ends it at once, whatever it does. */
  kill(): void;
}

/** A name that only Chromium's own resolver knows: every other name and address is unknown to it, so nothing goes around the proxy. */
export const proxyHost = "web-tester-proxy";

/** Of several switches of one name the last one counts, so ours repeats what Playwright's says. A test holds it to that. */
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
  // one request per connection at a time, so that the proxy can bound requests by connections
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
  // a tab that is not looked at works as one that is
  "--disable-renderer-backgrounding",
  /* A document of the same site comes into the frame of the one before, as in older versions of Chromium: a fifth of what a page costs
     is making a new frame. What a page leaves in its frame is taken out of it (tab.ts). */
  `--enable-features=${[...turnedOnByPlaywright, "RenderDocument:level/crashed-frame"].join(",")}`,
  /* A whole Chromium keeps an empty renderer at hand for the next site: with tabs that serve one site only it starts and throws away one
     for each page, a fifth of what the page costs. */
  `--disable-features=${[...turnedOffByPlaywright, "SpareRendererForSitePerProcess"].join(",")}`,
];

const launchMs = 30_000;

/**
 * Starts Chromium with no way out but the proxies of its contexts.
 * @param deadPort of a proxy door that is never opened: for what belongs to no page
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
  // Playwright leaves calls unanswered whose browser ends while they are on their way
  const session = await Promise.race([browser.newBrowserCDPSession(), gone]);
  const { processInfo } = await Promise.race([session.send("SystemInfo.getProcessInfo"), gone]);
  const pid = processInfo.find(({ type }) => type === "browser")?.id;
  const major = browser.version().split(".", 1)[0] ?? "0";
  return {
    browser,
    isolation,
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36 ${agent}`,
    gone,
    memory: () => readMemory(session),
    kill() {
      if (pid === undefined) return;
      // it leads a process group of its own
      for (const target of process.platform === "win32" ? [pid] : [-pid, pid]) {
        try {
          process.kill(target, "SIGKILL");
          return;
        } catch {
          // gone already, or no leader: then itself
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
 * With its sandbox, and as another user where we are root. Never without what was asked for, unless that is only preferred, and then
 * it is said why: Chromium itself refuses to start where it can make no sandbox.
 */
async function launch(program: ChromiumProgram, deadPort: number, sandbox: SandboxSetting): Promise<Launched> {
  const user = process.platform === "linux" && process.getuid?.() === 0 ? await asOtherUser(program) : null;
  const asRoot = user !== null && "reason" in user ? user.reason : null;
  const path = user !== null && "executablePath" in user ? user.executablePath : program.executablePath;
  try {
    const start = (isSandboxed: boolean) => startProgram({ ...program, executablePath: path }, deadPort, isSandboxed);
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

/** Once more where it may only have been killed while it started. */
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

/** In words, for the log and `/readyz`. */
export function describeIsolation({ unsandboxed, asRoot }: Isolation): string {
  const user =
    asRoot !== null ? `as root: ${asRoot}` : process.getuid?.() === 0 ? `as user ${browserUid}` : "as our own user";
  return unsandboxed === null ? `with its sandbox, ${user}` : `WITHOUT its sandbox (${unsandboxed}), ${user}`;
}

async function startProgram(
  { executablePath, env }: ChromiumProgram,
  deadPort: number,
  chromiumSandbox: boolean,
): Promise<Browser> {
  // half a second and 80 MB that a process which loads nothing in a browser need not spend
  const { chromium } = await import("playwright-core");
  return chromium.launch({
    executablePath,
    env: { ...withoutSecrets(process.env), ...env },
    headless: true,
    chromiumSandbox,
    args: switches,
    // pages that nobody asked for stay closed
    ignoreDefaultArgs: ["--disable-popup-blocking"],
    proxy: { server: `http://${proxyHost}:${deadPort}` },
    timeout: launchMs,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

/** What a browser needs of our environment; keys and passwords are not among it. */
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
  /** How much of it is pages of files, the program's own above all: those of all of its processes are the same ones. */
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

/** What processes hold together, in bytes: pages of files are counted once. */
export function residentTogether(processes: readonly ProcessMemory[]): number {
  const own = processes.reduce((sum, { bytes, fileBytes }) => sum + bytes - fileBytes, 0);
  return own + Math.max(0, ...processes.map(({ fileBytes }) => fileBytes));
}

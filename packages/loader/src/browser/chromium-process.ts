import { readFile } from "node:fs/promises";
import type { Browser, CDPSession } from "playwright-core";
import { AppError } from "@web-tester/contracts/errors";
import type { ChromiumProgram } from "./find-chromium.js";

/** One running Chromium. */
export interface ChromiumProcess {
  browser: Browser;
  /** As its pages name themselves. */
  userAgent: string;
  /** Rejects when it ends, however it does. */
  gone: Promise<never>;
  /** Resident bytes of its processes by id; empty where this system does not tell. */
  memory(): Promise<{ pid: number; type: string; bytes: number }[]>;
  /** Ends it at once, whatever it does. */
  kill(): void;
}

/** A name that only Chromium's own resolver knows: every other name and address is unknown to it, so nothing goes around the proxy. */
export const proxyHost = "web-tester-proxy";

/** Of several switches of one name the last one counts, so ours repeats what Playwright's says. A test holds it to that. */
const turnedOnByPlaywright = ["CDPScreenshotNewSurface", "SkipListAccountsWithoutGaiaCookies"];

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
): Promise<ChromiumProcess> {
  const browser = await launch(program, deadPort);
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

async function launch({ executablePath, env }: ChromiumProgram, deadPort: number): Promise<Browser> {
  // half a second and 80 MB that a process which loads nothing in a browser need not spend
  const { chromium } = await import("playwright-core");
  const start = (chromiumSandbox: boolean) =>
    chromium.launch({
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
  try {
    // root has no sandbox; containers often forbid the one of other users. The second try also helps where the first was killed
    return await start(process.getuid?.() !== 0).catch(() => start(false));
  } catch (error) {
    const words = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    throw new AppError(
      "browser_unavailable",
      `The browser ${executablePath} does not start (${words ?? "no reason given"}). Install Chrome or Chromium with the libraries it needs, or set CHROMIUM_PATH to one that starts.`,
      { cause: error },
    );
  }
}

/** What a browser needs of our environment; keys and passwords are not among it. */
function withoutSecrets(env: NodeJS.ProcessEnv): Record<string, string> {
  const needed =
    /^(?:PATH|HOME|LANG|LC_.*|TMPDIR|TEMP|TMP|FONTCONFIG_.*|LD_LIBRARY_PATH|XDG_.*|SystemRoot|USERPROFILE|LOCALAPPDATA)$/;
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && needed.test(name) ? [[name, value]] : [])),
  );
}

const pageBytes = 4096;

async function readMemory(session: CDPSession): Promise<{ pid: number; type: string; bytes: number }[]> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const all = await Promise.all(
    processInfo.map(async ({ id: pid, type }) => {
      const statm = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "");
      return { pid, type, bytes: Number(statm.split(" ")[1] ?? 0) * pageBytes };
    }),
  );
  return all.filter(({ bytes }) => bytes > 0);
}

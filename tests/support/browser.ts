import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";

export { launchBrowser } from "../../benches/lib/launch-browser.mjs";

/** A page of the product in a fresh profile, with everything that went wrong on it. */
export interface Screen {
  page: Page;
  /** Errors and warnings of the console (violations of the content security policy among them), uncaught exceptions, dialogs and requests to other hosts. */
  problems: string[];
  /** Answers of 4xx and 5xx, as `404 /api/…`. */
  refused: string[];
  /**
   * Saves a screenshot.
   * @returns the file
   */
  photograph(name: string): Promise<string>;
}

export async function openScreen(browser: Browser, address: string): Promise<Screen> {
  const context = await browser.newContext({
    baseURL: address,
    viewport: { width: 1280, height: 900 },
    locale: "en-GB",
    reducedMotion: "reduce",
  });
  // machines are shared and slow at times; nothing waits as long that goes well
  context.setDefaultTimeout(60_000);
  const problems: string[] = [];
  const refused: string[] = [];
  const page = await context.newPage();
  page.on("console", (message) => {
    // violations of the content security policy appear as errors too; refused calls are collected below, since only the test knows whether
    // they are a problem
    const isRefusal = message.text().startsWith("Failed to load resource: the server responded with a status of");
    // only a test that takes the network away meets it: a screen may still have asked for something
    const isOffline = message.text() === "Failed to load resource: net::ERR_INTERNET_DISCONNECTED";
    if ((message.type() === "error" && !isRefusal && !isOffline) || message.type() === "warning")
      problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  page.on("dialog", (dialog) => {
    // a test that leaves a screen does so on purpose
    if (dialog.type() === "beforeunload") return void dialog.accept();
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith("data:") && !request.url().startsWith("blob:"))
      problems.push(`request to ${request.url()}`);
  });
  page.on("response", (response) => {
    const answer = `${response.status()} ${new URL(response.url()).pathname}`;
    // a list may ask for the picture of a page that is deleted at that moment, and then shows an empty frame
    const isGone = /^404 \/api\/testsnapshots\/[0-9a-f-]{36}\/thumbnail$/.test(answer);
    if (response.status() >= 400 && !isGone) refused.push(answer);
  });
  let folder: string | undefined;
  return {
    page,
    problems,
    refused,
    async photograph(name) {
      folder ??= await mkdtemp(join(tmpdir(), "web-tester-screens-"));
      const path = join(folder, `${name.replaceAll(/[^\w-]+/g, "-")}.png`);
      await page.screenshot({ path });
      return path;
    },
  };
}

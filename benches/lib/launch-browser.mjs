// @ts-check
import { findChromium } from "@web-tester/loader/browser/find-chromium";
import { chromium } from "playwright-core";

/**
 * Launches a headless Chromium: the one that `CHROMIUM_PATH` names, else the one that the product would use.
 * @param {readonly string[]} [args] further arguments of its command line
 * @returns {Promise<import("playwright-core").Browser>}
 */
export async function launchBrowser(args = []) {
  const { executablePath, env } = await findChromium(process.env["CHROMIUM_PATH"]);
  // Playwright disables Chromium's sandbox by default: root and containers have none, and only our own pages are loaded.
  return chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    headless: true,
    args: ["--disable-dev-shm-usage", "--disable-gpu", ...args],
  });
}

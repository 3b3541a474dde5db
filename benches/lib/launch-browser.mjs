// @ts-check
import { findChromium } from "@web-tester/loader/browser/find-chromium";
import { chromium } from "playwright-core";

/**
 * A Chromium without a window: the one that `CHROMIUM_PATH` names, else what the product itself would take.
 * @param {readonly string[]} [args] further arguments of its command line
 * @returns {Promise<import("playwright-core").Browser>}
 */
export async function launchBrowser(args = []) {
  const { executablePath, env } = await findChromium(process.env["CHROMIUM_PATH"]);
  // Playwright leaves Chromium's own sandbox out unless told otherwise: root and containers have none; only our pages are loaded.
  return chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    headless: true,
    args: ["--disable-dev-shm-usage", "--disable-gpu", ...args],
  });
}

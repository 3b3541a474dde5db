// @ts-check
/** Takes the screenshots for docs/screens.md, of the product's own sample site: every screen, light and dark, some at the size of a phone. */
import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../infra/local/bootstrap/project.mjs";
import { launchBrowser } from "../lib/launch-browser.mjs";
import { readWords } from "../lib/read-words.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { emptyHome, prepareSample, screens } from "./screens.mjs";

const elsewhere = process.env["SCREENS_DIR"];
const folder = elsewhere ?? join(root, "docs", "screens");
const screensPage = await readFile(join(root, "docs", "screens.md"), "utf8");
const themes = /** @type {const} */ (["light", "dark"]);
const heights = /** @type {Record<number, number>} */ ({ 390: 844, 768: 1024, 1280: 800, 1920: 1080 });
const widths = (process.env["SCREENS_WIDTHS"] ?? "1280,390").split(",").map(Number);

const names = [emptyHome, ...screens].map(({ name }) => name);
const usage = `npm run bench -- screens [screen …]

Without a name all of ${names.join(", ")}. SCREENS_DIR puts every screen in both themes and all of SCREENS_WIDTHS (1280,390) into another folder.
CHROMIUM_PATH names the browser, else an installed one is taken.`;

async function main() {
  const wanted = readWords(usage, (words) => words.every((word) => names.includes(word)));
  const isWanted = (/** @type {import("./screens.mjs").ScreenToShow} */ { name }) =>
    wanted.length === 0 || wanted.includes(name);
  const signal = benchSignal(10 * 60_000);
  const browser = await launchBrowser();
  let bytes = 0;
  try {
    await mkdir(folder, { recursive: true });
    await withProduct({ signal }, async ({ address, rest }) => {
      const nothing = { objectId: "", instanceId: "", older: "", newer: "", runId: "" };
      if (isWanted(emptyHome)) bytes += await photograph(browser, address, emptyHome, nothing);
      const sample = await prepareSample(rest, signal);
      for (const screen of screens.filter(isWanted)) bytes += await photograph(browser, address, screen, sample);
    });
  } finally {
    await browser.close();
  }
  console.log(`${(bytes / 1024 / 1024).toFixed(1)} MB in ${folder}`);
}

/**
 * @param {import("playwright-core").Browser} browser
 * @param {string} address
 * @param {import("./screens.mjs").ScreenToShow} screen
 * @param {import("./screens.mjs").Sample} sample
 * @returns {Promise<number>} bytes of its pictures
 */
async function photograph(browser, address, screen, sample) {
  let bytes = 0;
  for (const theme of themes)
    for (const width of widths) {
      const file = `${screen.name}-${theme}-${width}.png`;
      if (elsewhere === undefined && !screensPage.includes(`(screens/${file})`)) continue;
      const context = await browser.newContext({
        baseURL: address,
        viewport: { width, height: heights[width] ?? 900 },
        colorScheme: theme,
        reducedMotion: "reduce",
        locale: "en-GB",
        timezoneId: "UTC",
      });
      try {
        const page = await context.newPage();
        await page.goto(screen.address(sample));
        await page.getByText(screen.ready).filter({ visible: true }).first().waitFor();
        await screen.act?.(page, (english) => english);
        await page.waitForLoadState("networkidle");
        await page.evaluate(() => document.fonts.ready);
        const path = join(folder, file);
        await page.screenshot({ path, animations: "disabled", caret: "hide" });
        const spill = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (spill > 0) console.log(`${screen.name} ${theme} ${width}: ${spill} px wider than the window`);
        bytes += (await stat(path)).size;
      } catch (error) {
        throw new Error(`${screen.name}, ${theme}, ${width} px`, { cause: error });
      } finally {
        await context.close();
      }
    }
  console.log(screen.name);
  return bytes;
}

await main();

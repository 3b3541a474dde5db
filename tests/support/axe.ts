import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Runs axe on what is on the screen, and returns what is wrong: the rule, the elements and the reason.
 * @param page of a context that allows foreign scripts (`bypassCSP`), because axe is not part of the application
 * @param rules only these, by their names
 */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => Reflect.has(globalThis, "axe")))) await page.evaluate(await source);
  return page.evaluate(async (only) => {
    interface Found {
      violations: { id: string; nodes: { target: unknown[]; failureSummary?: string }[] }[];
    }
    const checker = Reflect.get(globalThis, "axe") as { run(root: Document, options: object): Promise<Found> };
    // stored pages belong to their sites, and are shown as they were
    const { violations } = await checker.run(document, {
      iframes: false,
      preload: false,
      resultTypes: ["violations"],
      ...(only === undefined ? {} : { runOnly: only }),
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary ?? ""}`),
    );
  }, rules);
}

/** The rules that a theme can break, since it changes only colours. */
const ofColours = ["color-contrast", "link-in-text-block"];
const windows = {
  phone: { width: 390, height: 844 },
  desk: { width: 1440, height: 900 },
  // the same desktop, zoomed
  "200 %": { width: 720, height: 450 },
} as const;

/**
 * Returns what axe finds in both themes on a phone, on a desktop and at a zoom of 200 %, by where; the screen is not reloaded in
 * between.
 */
export async function faultsEverywhere(page: Page): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const [name, size] of Object.entries(windows)) {
    await page.setViewportSize(size);
    await inTheme(page, "light");
    found[name] = await axeFaults(page);
    await inTheme(page, "dark");
    found[`${name}, dark`] = await axeFaults(page, ofColours);
  }
  return Object.fromEntries(Object.entries(found).filter(([, faults]) => faults.length > 0));
}

/** Switches a page to a theme, as if the reader's system preferred it. */
export async function inTheme(page: Page, scheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.waitForFunction(
    (wanted) => document.documentElement.getAttribute("data-mantine-color-scheme") === wanted,
    scheme,
  );
}

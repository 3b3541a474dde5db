import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * What axe finds wrong with what is on the screen: rule, what it applies to and why.
 * @param page of a context that lets foreign scripts in (`bypassCSP`): axe is not part of the application
 */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(await source);
  return page.evaluate(async () => {
    interface Found {
      violations: { id: string; nodes: { target: unknown[]; failureSummary?: string }[] }[];
    }
    const checker = Reflect.get(globalThis, "axe") as { run(root: Document, options: object): Promise<Found> };
    // stored pages are the sites' own, shown as they were
    const { violations } = await checker.run(document, { iframes: false, resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary ?? ""}`),
    );
  });
}

/** Lets a page be drawn in a theme, as the reader's system says. */
export async function inTheme(page: Page, scheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.waitForFunction(
    (wanted) => document.documentElement.getAttribute("data-mantine-color-scheme") === wanted,
    scheme,
  );
}

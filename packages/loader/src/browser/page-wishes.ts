import { AppError } from "@web-tester/contracts/errors";
import type { CDPSession, Page } from "playwright-core";

/** Keeps a tab from loading some addresses. @param patterns `*` stands for anything @returns a function that lifts the block */
export async function blockAddresses(cdp: CDPSession, patterns: readonly string[]): Promise<() => Promise<void>> {
  await cdp.send("Network.enable");
  await cdp.send("Network.setBlockedURLs", { urls: [...patterns] });
  return async () => {
    await cdp.send("Network.setBlockedURLs", { urls: [] }).catch(() => undefined); // the tab may be gone
    await cdp.send("Network.disable").catch(() => undefined);
  };
}

const lookMs = 1_000;
/** Rounds of clicking: a banner may come back, or another one may lie behind it. */
const roundsMax = 3;

/**
 * Clicks away what covers the page: for each selector, the first visible element that matches it.
 * @returns whether anything was clicked
 * @throws AppError not_ready where a selector is invalid
 */
export async function clickAway(page: Page, selectors: readonly string[]): Promise<boolean> {
  let hasClicked = false;
  for (let round = 0; round < roundsMax; round += 1) {
    let clicked = 0;
    for (const selector of selectors) {
      const target = page.locator(`css=${selector}`).locator("visible=true").first();
      try {
        if ((await target.count()) === 0) continue;
        // by script: the page is drawn so small that a pointer would miss it
        await target.evaluate((element: { click(): void }) => element.click(), undefined, { timeout: lookMs });
        clicked += 1;
      } catch (error) {
        if (error instanceof Error && /selector|Unexpected token|SyntaxError/i.test(error.message))
          throw new AppError(
            "not_ready",
            `“${selector}” is not a CSS selector, so it cannot be used to click anything away. Correct it in the object's settings.`,
            { cause: error },
          );
        // it disappeared meanwhile
      }
    }
    if (clicked === 0) break;
    hasClicked = true;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return hasClicked;
}

import type { Locator, Page } from "playwright-core";

const enabled = ':not([disabled]):not([aria-disabled="true"]):not([data-disabled])';
const controls = `:is(button, [role=switch], input[type=checkbox], [role=menuitem])${enabled}`;
/** Controls that are not used: they would end the walk on a screen, or open something that is tested by itself. */
const leftAlone = /^(Close|Cancel|Done|Close menu)$/;
/** The most clicks on each screen and dialog. */
const clicksMax = 60;

/**
 * Uses every enabled control of a screen once, including those in menus and dialogs that it opens; fields are filled in before.
 * @returns names of the controls, in the order of use
 */
export async function walkControls(page: Page, path: string): Promise<string[]> {
  const used: string[] = [];
  const begin = async () => {
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    await fillIn(page.locator("main"));
  };
  await begin();
  const total = Math.min(clicksMax, await page.locator(`main ${controls}`).count());
  for (let index = 0; index < total; index++) {
    const control = page.locator(`main ${controls}`).nth(index);
    if (!(await use(control, used))) continue;
    const opened = page.locator("[role=dialog]:visible, [role=menu]:visible").last();
    if (await isThere(opened)) await walkOpened(page, opened, used);
    const where = new URL(page.url());
    if (where.pathname + where.search !== path) await begin();
  }
  await page.waitForLoadState("networkidle");
  return used;
}

async function walkOpened(page: Page, opened: Locator, used: string[]): Promise<void> {
  await fillIn(opened);
  const total = Math.min(clicksMax, await opened.locator(controls).count());
  for (let index = 0; index < total && (await isThere(opened)); index++)
    await use(opened.locator(controls).nth(index), used);
  for (let tries = 0; tries < 3 && (await isThere(page.locator("[role=dialog]:visible, [role=menu]:visible"))); tries++)
    await page.keyboard.press("Escape");
}

const isThere = async (locator: Locator): Promise<boolean> => (await locator.count()) > 0;

/**
 * Uses a control.
 * @returns whether it could be used
 */
async function use(control: Locator, used: string[]): Promise<boolean> {
  try {
    const name = (await control.getAttribute("aria-label")) ?? (await control.innerText()).trim();
    if (leftAlone.test(name)) return false;
    await control.click({ timeout: 1_500, force: (await control.getAttribute("role")) === "switch" });
    used.push(name);
    return true;
  } catch {
    // it has disappeared, or is covered by something else, since it was found
    return false;
  }
}

async function fillIn(within: Locator): Promise<void> {
  for (const field of await within.locator("input:visible:not([readonly]):not([disabled]), textarea:visible").all()) {
    const type = (await field.getAttribute("type").catch(() => null)) ?? "text";
    if (["checkbox", "radio", "file", "date", "datetime-local", "time"].includes(type)) continue;
    const value = type === "url" || type === "email" ? "http://127.0.0.1:9/" : type === "number" ? "1" : "x";
    if ((await field.inputValue().catch(() => "?")) === "")
      await field.fill(value, { timeout: 1_000 }).catch(() => undefined);
  }
}

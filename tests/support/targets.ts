import type { Page } from "playwright-core";

/** The size that touch targets need in both directions. Source: WCAG 2.2, 2.5.5. */
const leastPx = 44;

/**
 * Finds controls on a page that are too small for a thumb, with their sizes. Excluded are links within sentences, which WCAG allows to
 * be as high as their lines, and controls that Tab skips, because they are shortcuts for others.
 */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate((least) => {
    const controls = "a[href], button, select, textarea, input, [role=button], [role=slider], summary";
    const inSentence = (element: Element) =>
      getComputedStyle(element).display.startsWith("inline") &&
      !getComputedStyle(element.parentElement ?? element).display.includes("flex") &&
      [...(element.parentElement?.childNodes ?? [])].some(
        (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? "").trim() !== "",
      );
    /** The element that is touched; for a hidden checkbox or radio button its label. */
    const touched = (element: Element): Element => {
      if (!(element instanceof HTMLInputElement) || !["checkbox", "radio"].includes(element.type)) return element;
      return element.labels?.[element.labels.length - 1] ?? element;
    };
    const isSeen = (element: Element) => {
      const { width, height } = element.getBoundingClientRect();
      const { visibility, clipPath } = getComputedStyle(element);
      return width > 1 && height > 1 && visibility === "visible" && clipPath === "none";
    };
    const found: string[] = [];
    for (const control of document.querySelectorAll(controls)) {
      if (control.getAttribute("tabindex") === "-1" || control.closest("[aria-hidden=true], [inert]") !== null)
        continue;
      const element = touched(control);
      if (!isSeen(element) || inSentence(element)) continue;
      element.scrollIntoView({ block: "center", inline: "nearest" });
      const box = element.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const isMet = (dx: number, dy: number) => {
        const at = document.elementFromPoint(x + dx, y + dy);
        return at !== null && (element.contains(at) || touched(at.closest(controls) ?? at) === element);
      };
      const half = least / 2 - 1;
      const high = box.height >= least - 0.5 || (isMet(0, -half) && isMet(0, half));
      const wide = box.width >= least - 0.5 || (isMet(-half, 0) && isMet(half, 0));
      if (high && wide) continue;
      const name = control.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 40) ?? "";
      found.push(`${control.tagName.toLowerCase()} ${name} ${Math.round(box.width)}×${Math.round(box.height)}`);
    }
    return [...new Set(found)];
  }, leastPx);
}

/** Finds what is covered by the Console button at the end of a page; with `stepPx`, at every scroll position in such steps. */
export async function underConsole(page: Page, stepPx?: number): Promise<string[]> {
  // the button is loaded after the page itself
  await page
    .getByRole("button", { name: /^(Console|Konsole)/ })
    .first()
    .waitFor();
  return page.evaluate((step) => {
    const button = [...document.querySelectorAll("button")].find(
      (each) => each.textContent?.startsWith("Console") || each.textContent?.startsWith("Konsole"),
    );
    if (button === undefined) return ["there is no Console button"];
    const own = button.getBoundingClientRect();
    const under = () =>
      [...document.querySelectorAll("main a[href], main button, main input, footer a, main p, main li")]
        .filter((element) => element !== button && !element.contains(button) && !button.contains(element))
        .filter((element) => {
          const { left, right, top, bottom, width } = element.getBoundingClientRect();
          const isOver = left < own.right && right > own.left && top < own.bottom && bottom > own.top;
          return width > 0 && isOver && element.closest("#floats") === null;
        })
        .map((element) => `${element.tagName.toLowerCase()} ${element.textContent?.trim().slice(0, 40) ?? ""}`);
    const end = document.documentElement.scrollHeight;
    const found = new Set<string>();
    for (let top = step === undefined ? end : 0; top <= end; top += step ?? end) {
      window.scrollTo({ top, behavior: "instant" });
      for (const each of under()) found.add(each);
    }
    return [...found];
  }, stepPx);
}

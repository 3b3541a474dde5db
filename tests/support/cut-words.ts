import type { Page } from "playwright-core";

/** Finds words of buttons, links and choices that are cut off at the edge of their container without an ellipsis. */
export function cutWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isSeen = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 1;
    /** The container that hides the overflow of these words, and whether it shows an ellipsis. */
    const edgeOf = (element: Element) => {
      for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement) {
        const { overflowX, textOverflow } = getComputedStyle(at);
        if (overflowX === "auto" || overflowX === "scroll") return null;
        if (overflowX !== "visible") return { box: at.getBoundingClientRect(), says: textOverflow === "ellipsis" };
      }
      return null;
    };
    const cut: string[] = [];
    for (const element of document.querySelectorAll("button *, button, a, label *, label")) {
      const words = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
      const text = words.map((node) => node.textContent).join("");
      if (text.trim() === "" || !isSeen(element) || element.closest(".sr-only, pre, code") !== null) continue;
      const edge = edgeOf(element);
      if (edge === null || edge.says) continue;
      const range = document.createRange();
      range.selectNodeContents(element);
      const { left, right } = range.getBoundingClientRect();
      if (left < edge.box.left - 1 || right > edge.box.right + 1) cut.push(text);
    }
    return [...new Set(cut)];
  });
}

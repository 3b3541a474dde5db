import type { CDPSession } from "playwright-core";

/** The world, apart from that of the page's own scripts, in which questions about a document are asked. */
export const ownWorld = "web-tester";

/**
 * Watches every document from its start: when it last changed, and whether it ever did what a parser alone does not do. That
 * shows a script that has taken itself out again, which nothing in the document shows afterwards.
 */
const watch = `(() => {
  const seen = { changedAt: performance.now(), wasChanged: false };
  globalThis.seen = seen;
  new MutationObserver((records) => {
    seen.changedAt = performance.now();
    seen.wasChanged ||= records.some((record) => record.type === "attributes" || record.removedNodes.length > 0);
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
})()`;

/** To be called once for a tab, before its first page. */
export async function watchDocuments(cdp: CDPSession): Promise<void> {
  await cdp.send("Page.enable");
  await cdp.send("Page.addScriptToEvaluateOnNewDocument", { source: watch, worldName: ownWorld });
}

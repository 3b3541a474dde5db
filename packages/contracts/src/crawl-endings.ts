import { budgets } from "./limits.js";

/** Why a crawl ended before it had seen everything: what reports say, by the code under which screens translate it. */
export const crawlEndings = {
  pages:
    "The crawl used up its page budget before it was complete. Raise it under Options, or exclude pages that you do not need.",
  "sitemap-pages": `The crawl used up its page budget, or its ${budgets.sitemapFilesMax} sitemap files, before it was complete. Raise the budget under Options, or enter fewer sitemaps.`,
  time: "The crawl used up its time budget before it was complete. Raise it under Options, or exclude pages that you do not need.",
  bytes:
    "The crawl used up its budget of bytes before it was complete. Raise it under Options, or exclude pages that you do not need.",
  stopped: "The crawl was stopped.",
  depth: "Pages beyond the maximum depth were skipped. Raise the maximum depth under Options if you need them.",
  trap: "Addresses that look like a crawler trap were skipped: endless paths or combinations of parameters.",
} as const;

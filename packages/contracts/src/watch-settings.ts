import { readBudget, readSilence } from "./change-expectations.js";
import { noiseMode } from "./entities/vocabulary.js";
import { limits } from "./limits.js";
import { choice, lines, whole } from "./setting-kinds.js";
import { isVisible } from "./visible-text.js";

/** Settings of a test object that decide what is reported about its changes, and what counts as unusual. */
export const watchSettings = {
  confirm_after_s: whole({
    group: "watch",
    label: "Re-check before notifying (s)",
    help: "Pages that changed or failed in a fetch of all pages are fetched again after this many seconds; those that are back to their earlier state count as flapping, and no notification is sent; 0: notify at once",
    hint: "Fetches pages that changed or failed again after this many seconds, and sends no notification for those that are back to their earlier state. 0: notify at once.",
    unit: "s",
    initial: 0,
    min: 0,
    max: 3_600,
  }),
  gone_after_days: whole({
    group: "watch",
    label: "Days to keep fetching gone pages",
    help: "How many more days a page that answers 404 or 410 is included in fetches of all pages",
    hint: "A page that answers 404 or 410 is still included in Fetch All for this many days.",
    unit: "days",
    initial: 30,
    min: 1,
    max: 3_650,
  }),
  noise_mode: choice("segments", noiseMode, {
    group: "watch",
    label: "Noise",
    help: "What happens with noise that the product finds automatically, once, after the first fetch of all pages",
    initial: "propose",
    choices: [
      {
        value: "propose",
        label: "Propose",
        words: "After the first fetch of all pages, some are fetched twice; rules are proposed for what differs.",
      },
      {
        value: "apply",
        label: "Apply",
        words: "After the first fetch of all pages, some are fetched twice; what differs is ignored from then on.",
      },
      { value: "off", label: "Off", words: "Noise is searched for only when somebody starts the search." },
    ],
  }),
  tags: lines({
    group: "tags",
    label: "Tags",
    help: "Words that group objects: the home page can filter by tag, and notification routes can cover all objects with a tag",
    hint: "One per line. You can filter the home page by tag, and routes can cover all objects with a tag.",
    most: limits.tagsMax,
    what: "tags",
    areNames: true,
    line: [
      (tag) => tag.length <= limits.tagMaxChars && !/[,\p{Cc}]/u.test(tag) && isVisible(tag),
      `A tag can have up to ${limits.tagMaxChars} characters, at least one that can be seen, and no comma`,
    ],
  }),
  change_budgets: lines({
    group: "watch",
    label: "Change budgets",
    help: "How many pages of a section may change in one fetch before this counts as unusual, which is an event of its own: a path and a number, or `off`; `/` is the whole site, `*` every section without a line. Without a line the limit is learned from earlier fetches",
    hint: "One per line, for example /shop/ 20. If more pages change at once, you are notified of an unusual change. / is the whole site, * every other section, off instead of a number turns this off. Without a line, the limit is learned from earlier fetches.",
    most: limits.expectationsMax,
    what: "change budgets",
    line: [
      (line) => line.length <= limits.expectationMaxChars && readBudget(line) !== null,
      "Enter a change budget as a path and a number of pages, for example `/shop/ 20` or `/ off`",
    ],
  }),
  silence_after: lines({
    group: "watch",
    label: "Silence",
    help: "After how long without a change a section counts as silent, which is an event of its own: a path and a number of hours, days or weeks, or `off`; `/` is the whole site, `*` every section without a line. Without a line the time is learned from earlier fetches",
    hint: "One per line, for example /news/ 3 days. If nothing changes in a section for longer, you are notified once. / is the whole site, * every other section, off turns this off. Without a line, the time is learned from earlier fetches.",
    most: limits.expectationsMax,
    what: "silence lines",
    line: [
      (line) => line.length <= limits.expectationMaxChars && readSilence(line) !== null,
      "Enter a silence line as a path and a time, for example `/news/ 3 days`, `/ 12 hours` or `* off`",
    ],
  }),
};

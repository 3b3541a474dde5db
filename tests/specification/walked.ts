import type { Row } from "./table.js";

const here = "tests/specification";
const walk = `${here}/walk.test.ts`;
const german = `${here}/german.test.ts`;
const news = "web/src/features/live/run-news.test.ts";
const compare = "tests/web/compare.test.ts";
const main = "tests/web/main-job.test.ts";
const discovery = "tests/web/discovery.test.ts";
const besides = "tests/web/screens.test.ts";
const signal = "tests/web/signal.test.ts";
const words = "web/src/ui/format/words.test.ts";

/** The faults that a walk through every screen found, each with the test that shows its fix. A fault that no test shows has no row. */
export const walked: readonly Row[] = [
  ["wrong", "an index says when it was fetched", walk, "a dropdown of indices says when each was fetched"],
  ["wrong", "what is skipped, and why", compare, "what is skipped says why"],
  ["wrong", "one toast for many failures", news, "of a fetch of many pages the first failure is told"],
  ["critical", "failures are in a review", "tests/signal/review.test.ts", "pages are found by kind, by change"],
  ["critical", "a colour that changed is seen", "tests/web/visual-diff.test.ts", "differ where the pages do"],
  ["high", "a schedule", "tests/web/watch.test.ts", "one is added, says in words when it is due"],
  ["high", "a notification", "tests/web/watch.test.ts", "a webhook is added, its secret is shown once"],
  ["high", "noise", signal, "noise is found: what differs between two fetches is proposed"],
  ["high", "what was looked at", signal, "a whole review by keys alone"],
  ["high", "no green for what found nothing", news, "what found nothing, or removed nothing, is no success"],
  ["high", "back restores the place", walk, "back leads to where one was, a fresh address to its top"],
  ["high", "print", walk, "on paper stands what was found, without controls"],
  ["high", "offline", walk, "without a network a banner says so, and goes by itself"],
  ["high", "a name is changed", walk, "an object is renamed"],
  ["medium", "counts lead to what they count", walk, "tiles of an object lead to what they count"],
  ["medium", "exact times", "web/src/ui/format/dates.test.ts", "exactly is with seconds and a zone"],
  ["medium", "days", "web/src/features/object/timeline-days.test.ts", "runs stand by days of the reader's clock"],
  ["medium", "options by groups", "web/src/features/object/option-groups.test.ts", "every option is in a group"],
  ["medium", "what was saved is said", discovery, "options say how far a crawl goes"],
  ["medium", "a failed page", main, "a failed page shows its reason"],
  [
    "medium",
    "failures that follow one another",
    "web/src/features/instance/streaks.test.ts",
    "failures of one kind that follow one another are one entry",
  ],
  ["medium", "what was stopped", "web/src/features/object/timeline-days.test.ts", "stopped"],
  ["medium", "phone: targets, nothing under Console", german, "%s is German and fits a phone"],
  ["medium", "phone: long names", besides, "a name of one long word pushes nothing out of a phone"],
  ["low", "reasons are German too", "web/src/features/diff/bulk/skip-words.test.ts", "Identical: both snapshots hold"],
  ["medium", "phone: where one is, and edges of cards", besides, "on a phone one reads which snapshot it is"],
  [
    "medium",
    "a review of failures does not say that nothing waits",
    signal,
    "where no change waits, the title of a review",
  ],
  ["medium", "phone: the head of a review", german, "the head of a review takes one row"],
  ["medium", "desk: nothing under Console", german, "on a desk nothing lies under the Console button"],
  ["medium", "unchanged lines", "web/src/features/diff/address.test.ts", "%p"],
  [
    "critical",
    "a change of style is one",
    "tests/differ/changed-files.test.ts",
    "a changed stylesheet changes every page",
  ],
  [
    "critical",
    "long lines are cut where they changed",
    "tests/differ/forms.test.ts",
    "those with long lines are formatted",
  ],
  ["high", "a filter looks at all pages", compare, "a filter looks for pages that were not loaded yet"],
  [
    "medium",
    "a comparison that failed: its page, and others",
    besides,
    "one side is there offers the others of its page",
  ],
  [
    "medium",
    "a comparison that failed: nothing that cannot help",
    besides,
    "a comparison of snapshots that are not there",
  ],
  ["medium", "a snapshot that failed: again, or the last good one", main, "a failed page shows its reason"],
  ["medium", "changed since a day of one's own", main, "what changed since a day that one chooses"],
  ["medium", "comparisons open in one view", main, "every choice of view is in the address"],
  [
    "medium",
    "a comparison that is not of these contents says so",
    compare,
    "is compared in the browser, with the options",
  ],
  ["medium", "nothing moves an open list away", walk, "bulk diff: the object's card counts from 1"],
  [
    "low",
    "nothing gone is not counted",
    "web/src/features/object/report-groups.test.ts",
    "nothing gone is not counted",
  ],
  ["low", "what is here already is no success", "tests/web/transfer.test.ts", "says every word of the specification"],
  ["low", "nothing deleted is no success", news, "what found nothing, or removed nothing, is no success"],
  ["low", "no hashes on cards", main, "a snapshot shows what was stored"],
  ["low", "previews are off, said once", walk, "where assets are not kept, previews are disabled in words"],
  ["low", "a dialog without a grey band", besides, "a dialog is of one ground from its title down"],
  ["low", "example.com is an address", walk, "an address without a scheme is asked for by https"],
  ["low", "paths are shortened once", words, "shortening keeps both ends and the promised length"],
  ["low", "other scripts are readable", words, "%j is read as %j"],
  ["low", "1 object", words, "counts carry their noun and their thousands apart"],
  ["low", "a way on where nothing is", besides, "an object, a comparison and a screen"],
];

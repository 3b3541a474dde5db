/** One sentence of the specification and the test that shows it: its file, from the root of the repository, and words of its title. */
export type Row = readonly [paragraph: string, sentence: string, file: string, test: string];

const here = "tests/specification";
const walk = `${here}/walk.test.ts`;
const states = `${here}/states.test.ts`;
const main = "tests/web/main-job.test.ts";
const besides = "tests/web/screens.test.ts";
const compare = "tests/web/compare.test.ts";
const visual = "tests/web/visual-diff.test.ts";
const searches = "tests/web/search.test.ts";
const consoles = "tests/web/console.test.ts";
const transfer = "tests/web/transfer.test.ts";
const discovery = "tests/web/discovery.test.ts";
const firstRun = "tests/web/first-run.test.ts";
const access = "tests/gateway/access.test.ts";
const toastRules = "web/src/ui/toasts/toast-rules.test.ts";
const news = "web/src/features/live/run-news.test.ts";
const progress = "web/src/api/live/progress.test.ts";
const consoleState = "web/src/features/console/console-state.test.ts";

const everyRoute =
  "$name: header, footer, console button, title, description, canonical address and social preview tags";
const transferWords = "says every word of the specification, from no file to the file that comes back";
const failures = "§8 messages of failure";

/** Sections of the specification: §2, §4, §5, §8 and §9. */
export const specification: readonly Row[] = [
  ["§2 layout", "sticky header with brand and links, footer, Console button, page metadata", walk, everyRoute],
  ["§2 layout", "toasts at the bottom right", states, "a toast stands at the bottom right for 5 s"],
  ["§2 layout", "router-level not-found screen", besides, "an object, a comparison and a screen"],
  ["§2 layout", "Unexpected Application Error!", walk, "a screen that breaks says Unexpected Application Error!"],
  ["§2 layout", "searchable dropdown", walk, "the dropdown searches by subsequence and obeys arrows, Enter and Escape"],
  ["§2 routes", "every row of the table is a screen of its own", walk, "no two screens have the same title"],
  ["§2 /", "storage stats", walk, "home: sizes with the provider in brackets and the last two segments of paths"],
  ["§2 /", "form, list, empty state", main, "an empty home, and a form that says what is wrong"],
  ["§2 /", "Loading test objects…", walk, "%s says what it waits for, beside a spinner"],
  ["§2 /objects/{id}", "Loading test object…", walk, "%s says what it waits for, beside a spinner"],
  [
    "§2 /objects/{id}",
    "progress bars",
    main,
    "a fetch of all shows its progress, also after a reload and on the home page",
  ],
  ["§2 /objects/{id}", "Sitemaps card", discovery, "sitemaps are added and read"],
  ["§2 /objects/{id}", "Options panel", discovery, "options say how far a crawl goes, and what patterns would exclude"],
  ["§2 /objects/{id}", "Diff card", main, "two snapshots are chosen on the object's page"],
  [
    "§2 /objects/{id}",
    "Bulk Diff card",
    walk,
    "bulk diff: the object's card counts from 1 and opens zero-based indices",
  ],
  ["§2 /objects/{id}", "Search card", searches, "the object's page leads to a search that sends nothing"],
  ["§2 search", "idx, instance, results", searches, "an index narrows the search, in the address and on the screen"],
  ["§2 search", "instance limits and leads back; No results found", searches, "the search of one instance leads back"],
  ["§2 search", "Searching...", walk, "%s says what it waits for, beside a spinner"],
  [
    "§2 /instances/{id}",
    "cards",
    walk,
    "an instance: dates as dd.mm.yyyy hh:mm, texts that can be edited, assets on demand",
  ],
  ["§2 /instances/{id}", "previews are disabled", walk, "where assets are not kept, previews are disabled in words"],
  ["§2 /snapshots/{id}", "id, preview, new tab", walk, "a snapshot: id, preview of 600 px, and its page in a new tab"],
  ["§2 /snapshots/{id}", "HTML and headers", main, "a snapshot shows what was stored"],
  ["§2 /diff", "everything in the address", main, "every choice of view is in the address"],
  ["§2 /diff", "Visual diff link", visual, "v goes to the text diff and back; missing ids are said"],
  ["§2 /diff/visual", "side by side", visual, "shows both pages, outlines what differs, and steps through it"],
  ["§2 /diff/visual", "stacked, with a toggle", visual, "stacked panes scroll together"],
  ["§2 /diff/visual", "missing ids", visual, "v goes to the text diff and back; missing ids are said"],
  ["§2 /diff/bulk", "summary, pages, scroll", compare, "pages load 20 at a time while one scrolls, to the end"],
  ["§2 /diff/bulk", "No diffs generated", compare, "an index that nobody has shows totals and the list of reasons"],
  ["§2 /diff-anything", "two inputs", compare, "is compared in the browser, with the options after Compare"],
  ["§2 options", "types, split for lines only", walk, "diff options: types, split for lines only, unchanged lines"],
  ["§2 /format-html", "format, clear, copy", compare, "is formatted and copied"],
  ["§2 /import-export", "export and import", transfer, transferWords],
  ["§2 /imprint", "provider and e-mail", firstRun, "the imprint names the provider of the configuration"],
  ["§2 console", "title, texts, subscription", consoles, "an empty console, opened from a page like any other"],
  [
    "§2 console",
    "another server process",
    "web/src/features/console/other-process.test.ts",
    "names each other process",
  ],
  ["§4 snapshot-all", "queued, running above 0", progress, "queued opens the bar with the created count"],
  ["§4 snapshot-all", "completed never exceeds total", progress, "completed never exceeds total"],
  ["§4 snapshot-all", "complete when equal", progress, "fetching is over when completed equals total"],
  ["§4 snapshot-all", "success toast and reload", main, "the site changes; a second fetch finds what changed"],
  ["§4 single snapshot", "total 1 and running; 30 s clear it", states, "goes out after 30 s without news"],
  ["§4 deletion", "buttons are disabled while it runs", states, "while a deletion runs, nothing else can be started"],
  ["§4 crawl", "running, then toast and reload", main, "the crawl shows its progress as it goes"],
  ["§4 deletion", "completed message ends it", progress, "a completed message ends a deletion"],
  ["§4 console", "first opening asks for history", consoleState, "the first opening asks for the history, later ones"],
  ["§4 console", "unsubscribe", consoles, "cleared here and on the server, also for a page that is loaded anew"],
  ["§4 instance list", "page by page, reset", states, "the instance list loads 20 at a time, 200 px ahead"],
  ["§4 bulk diff", "20 at a time", compare, "pages load 20 at a time while one scrolls, to the end"],
  ["§4 diff view", "error", besides, "a comparison of snapshots that are not there"],
  ["§4 asset preview", "only when assets are kept", walk, "where assets are not kept, previews are disabled in words"],
  ["§4 deleting", "back in history", besides, "an instance"],
  ["§4 deleting", "an object goes to /", besides, "the object"],
  ["§4 toast", "5 s, 300 ms", states, "a toast stands at the bottom right for 5 s and leaves within 300 ms"],
  ["§4 real time", "resubscribes on reconnect", consoleState, "after a break the history fills the gap"],
  ["§5", "create with empty fields does nothing", main, "an empty home, and a form that says what is wrong"],
  ["§5", "sitemaps trimmed", states, "sitemap entries are trimmed and empty ones are dropped"],
  [
    "§5",
    "exclude patterns",
    "web/src/features/object/options.test.ts",
    "patterns are trimmed lines without empty ones",
  ],
  ["§5", "Please select an instance to fetch.", main, "a fetch of no page asks which one"],
  ["§5", "unchanged lines 0 to 100", walk, "diff options: types, split for lines only, unchanged lines from 0 to 100"],
  ["§5", "Invalid JSON file. No file selected.", transfer, transferWords],
  ["§5", "empty query sends no request", searches, "the object's page leads to a search that sends nothing"],
  ["§5 confirmation", "object", besides, "the object"],
  ["§5 confirmation", "instance", besides, "an instance"],
  ["§5 confirmation", "all snapshots", states, "snapshots are deleted after a question, instances stay"],
  ["§5", "- for what is no size", "web/src/ui/format/bytes.test.ts", "%p bytes read as %p"],
  [
    "§5",
    "identical toasts within 3 s",
    toastRules,
    "after it left, the same toast is suppressed until 3 s have passed",
  ],
  [
    "§5",
    "an identical one on screen",
    toastRules,
    "the same toast is suppressed while on screen, however long that is",
  ],
  ["§6", "apiAuth", access, "a header of one's own does as well, kept as the specification names it"],
  ["§8", "HTTP {status}: {body}", "web/src/api/api-error.test.ts", "our own error body gives its words and its code"],
  ["§8", "Failed to fetch snapshot: {url or unknown}", news, "a failed fetch names its address, known object or not"],
  ...[
    "Failed to save directory protection",
    "Failed to start crawl",
    "Failed to start sitemap crawl",
    "Failed to start deletion",
    "Failed to start snapshot deletion",
    "Failed to delete test object",
    "Failed to delete instance",
    "Failed to create snapshot: ",
    "Failed to load instance",
    "Failed to load snapshot",
    "Failed to load assets",
    "Error loading diff: ",
  ].map((words): Row => [`§8: ${failures}`, words, states, words]),
  ["§8", "Missing parameters, Instance and Snapshot not found.", besides, "an object, a comparison and a screen"],
  ["§8 success", "Directory protection saved", discovery, "options say how far a crawl goes"],
  ["§8 success", "Snapshot fetched successfully", news, "one snapshot has its own words"],
  ["§8 success", "fetched, found, deleted", news, "the end of a %s is told once"],
  ["§8 success", "object, instance deleted", besides, "an instance"],
  ["§8 success", "export, import, parsed, imported, enqueued", transfer, transferWords],
  ["§8 info", "Fetching {n} snapshot(s)...", main, "a fetch of all shows its progress"],
  ["§8 info", "Starting snapshot-only deletion...", states, "snapshots are deleted after a question, instances stay"],
  ["§9", "instances page size 20, margin 200 px", states, "the instance list loads 20 at a time, 200 px ahead"],
  ["§2 /diff/bulk", "more than 100 pages", states, "a bulk diff of more than 100 pages warns, one of 100 does not"],
  ["§9", "toast 5000 ms, exit 300 ms", states, "leaving takes a toast 300 ms"],
  ["§9", "single snapshot running 30 s", states, "goes out after 30 s without news"],
  ["§9", "bulk diff page size 20", compare, "pages load 20 at a time while one scrolls, to the end"],
  ["§9", "index selector, 20 options, zero-based", walk, "bulk diff: the object's card counts from 1"],
  ["§9", "console lines kept 200", "web/src/features/console/line-buffer.test.ts", "the newest 200 are kept"],
  [
    "§9",
    "unread badge 99+",
    consoles,
    "closed it counts what is unread, up to 99+; opened again it has the last 200 lines",
  ],
  ["§9", "console bottom 16 px", consoles, "lines come while a job runs, and the newest is followed until"],
  ["§9", "toast suppression 3 s, purged after 10 s", toastRules, "entries are forgotten after 10 s"],
  ["§9", "size units", "web/src/ui/format/bytes.test.ts", "a larger size never reads as a smaller one"],
  ["§9", "default view unified", "web/src/features/diff/address.test.ts", "unknown choices are the default ones"],
  ["§9", "unchanged lines 3 (0 to 100)", walk, "unchanged lines from 0 to 100 and 3 at first"],
  ["§9", "preview height 600 px", walk, "a snapshot: id, preview of 600 px, and its page in a new tab"],
  ["§9", "date format", "web/src/ui/format/dates.test.ts", "writes day, month, year, hour and minute"],
  ["§9", "export file name", transfer, transferWords],
  ["§9", "diff types and views", "web/src/features/diff/address.test.ts", "what is written is read again"],
  ["§9", "constants have their values", `${here}/table.test.ts`, "the constants are those of §9"],
];

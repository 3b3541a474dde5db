import { readBudget, readSilence } from "./change-expectations.js";
import { noiseMode } from "./entities/vocabulary.js";
import { limits } from "./limits.js";
import { choice, lines, whole } from "./setting-kinds.js";

/** Settings of a test object that decide what is reported about its changes, and what counts as unusual. */
export const watchSettings = {
  confirm_after_s: whole({
    group: "watch",
    label: "Look again before telling (s)",
    help: "Pages that changed or failed in a fetch of all are fetched again after so many seconds; what is as before by then is flapping and told nobody; 0: told at once",
    hint: "Pages that changed or failed are fetched again after so many seconds. What is as before by then is told nobody. 0: told at once.",
    unit: "s",
    initial: 0,
    min: 0,
    max: 3_600,
  }),
  gone_after_days: whole({
    group: "watch",
    label: "Days to fetch pages that are gone",
    help: "A page that answers 404 or 410 is fetched with all others for so many days more",
    hint: "A page that answers 404 or 410 is fetched with all others for so many days more.",
    unit: "days",
    initial: 30,
    min: 1,
    max: 3_650,
  }),
  noise_mode: choice("segments", noiseMode, {
    group: "watch",
    label: "Noise",
    help: "What becomes of noise that is found by itself, once, after the first fetch of all pages",
    initial: "propose",
    choices: [
      {
        value: "propose",
        label: "Propose",
        words: "After the first fetch of all pages some are fetched twice; what differs is proposed as rules.",
      },
      {
        value: "apply",
        label: "Apply",
        words: "After the first fetch of all pages some are fetched twice; what differs is ignored from then on.",
      },
      { value: "off", label: "Off", words: "Noise is looked for only when somebody asks for it." },
    ],
  }),
  tags: lines({
    group: "tags",
    label: "Tags",
    help: "Words that objects are grouped by: the home page filters by them, and messages can be about all objects of a tag",
    hint: "One per line. The home page finds objects by them, and routes can be about all of a tag.",
    most: limits.tagsMax,
    what: "tags",
    line: [
      (tag) => tag.length <= limits.tagMaxChars && !/[,\p{Cc}]/u.test(tag),
      `A tag has at most ${limits.tagMaxChars} characters and no comma`,
    ],
  }),
  change_budgets: lines({
    group: "watch",
    label: "Change budgets",
    help: "How many pages of a section may change at one fetch before it is an event of its own: a path and a number, or `off`; `/` is the whole site, `*` every section that no line names. Without a line it is learned from the fetches before",
    hint: "One per line, such as /shop/ 20. More pages that change at once are told as unusual. / is the whole site, * every other section, off in place of a number tells nothing. Sections without a line: as learned.",
    most: limits.expectationsMax,
    what: "change budgets",
    line: [
      (line) => line.length <= limits.expectationMaxChars && readBudget(line) !== null,
      "A change budget is a path and a number of pages, such as `/shop/ 20` or `/ off`",
    ],
  }),
  silence_after: lines({
    group: "watch",
    label: "Silence",
    help: "After how long without a change a section is silent, which is an event of its own: a path and a number of hours, days or weeks, or `off`; `/` is the whole site, `*` every section that no line names. Without a line it is learned from the times before",
    hint: "One per line, such as /news/ 3 days. A section in which nothing changed for longer is told as silent, once. / is the whole site, * every other section, off tells nothing. Sections without a line: as learned.",
    most: limits.expectationsMax,
    what: "lines of silence",
    line: [
      (line) => line.length <= limits.expectationMaxChars && readSilence(line) !== null,
      "A line of silence is a path and a time, such as `/news/ 3 days`, `/ 12 hours` or `* off`",
    ],
  }),
};

import { expect, test } from "@jest/globals";
import { hiddenWords } from "./hidden-words.js";

const tags = `<article id="post-99" class="${"hentry ".repeat(20)}"><header><h2>`;

test.each([
  [
    "words behind many tags",
    { removed: "", added: `${tags}Ships &amp; ice</h2>\n<p>Said  today.` },
    "Ships & ice Said today.",
  ],
  ["words that went", { removed: `${tags}Ships</h2>`, added: "" }, "Ships"],
  ["an end within a tag", { removed: "", added: `${tags}Ships</h2><img alt="not read` }, "Ships"],
  ["a beginning within a tag", { removed: "", added: `…bar" class="x">${tags}Ships` }, "Ships"],
  ["a long text", { removed: "", added: `${tags}${"word ".repeat(100)}` }, `${"word ".repeat(40)}…`],
])("%s", (_name, change, words) => {
  expect(hiddenWords(change)).toBe(words);
});

test.each([
  ["words that are seen", { removed: "", added: `<h2>Ships</h2>${tags}More` }],
  ["a replacement", { removed: `${tags}Ships`, added: `${tags}Boats` }],
  ["no words", { removed: "", added: `${tags}<img src="a.png">` }],
  ["nothing", { removed: "", added: "" }],
])("none of %s", (_name, change) => {
  expect(hiddenWords(change)).toBeNull();
});

import { describe, expect, test } from "@jest/globals";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import { compileRule } from "../rules/compile-rule.js";
import { learnRules, shareMax } from "./learn-rules.js";

/** Pages with the noise of other software. `visit`: grows with each request; `edits`: replacements beside the noise. */
interface Software {
  page(page: number, visit: number): string;
  edits: [string, string][];
}

const mixed = (visit: number, salt: number) =>
  (Math.imul(visit * 2_654_435_761 + salt * 40_503, 2_246_822_519) >>> 8) & 0xffff;
const pick = <Item>(items: readonly Item[], visit: number, salt: number): Item | undefined =>
  items[mixed(visit, salt) % items.length];
const text = (visit: number, salt: number, length: number, digits: string) =>
  Array.from({ length }, (_, index) => digits[mixed(visit + index * 31, salt + index * 17) % digits.length]).join("");
const hex = (visit: number, salt: number, length: number) => text(visit, salt, length, "0123456789abcdef");
const words = "apple river stone cloud window garden silver market yellow table".split(" ");
const sentence = (visit: number, salt: number) =>
  Array.from({ length: 4 + (mixed(visit, salt) % 5) }, (_, index) => pick(words, visit * 7 + index * 13, salt)).join(
    " ",
  );
const prose = (page: number) =>
  Array.from({ length: 40 }, (_, index) => `<p>Paragraph ${index} of page ${page} says what it has to say.</p>`).join(
    "\n",
  );
const html = (page: number, body: string) =>
  `<html><head><title>Page ${page}</title></head><body>\n${body}\n${prose(page)}</body></html>`;

const software: Record<string, Software> = {
  "an advertisement in words inside a paragraph": {
    page: (page, visit) =>
      html(
        page,
        `<p>Article ${page} is about rivers. Advertisement: ${sentence(visit, 1)} End of advertisement. It goes on.</p>`,
      ),
    edits: [
      ["is about", "tells of"],
      ["It goes on", "It continues"],
      ["Advertisement:", "Sponsored:"],
    ],
  },
  "a link that rotates inside a paragraph": {
    page: (page, visit) =>
      html(
        page,
        `<p>Article ${page} is about rivers. ${pick(['<a href="/ad/1">Buy hats</a>', '<a href="/ad/2">Shoes now</a>', '<a href="/ad/3">Clocks</a>'], visit, 2) ?? ""} It goes on.</p><p>See <a href="/more">more of it</a></p>`,
      ),
    edits: [
      ["is about", "tells of"],
      ["It goes on", "It continues"],
      ['href="/more"', 'href="/most"'],
    ],
  },
  "a time in words": {
    page: (page, visit) =>
      html(
        page,
        `<p class="updated">Updated ${pick(["just now", `${2 + (visit % 50)} seconds ago`, "a minute ago", `${2 + (visit % 7)} minutes ago`], visit, 3) ?? ""} by the editors of section ${page % 3}</p>`,
      ),
    edits: [
      ["Updated", "Changed"],
      ["by the editors", "by the writers"],
    ],
  },
  "an element that is not always there": {
    page: (page, visit) =>
      html(
        page,
        `<p>Posted on ${page} May. ${mixed(visit, 4) % 2 === 0 ? '<em class="live">Live</em> ' : ""}Read by ${5000 + visit} people so far, says the counter.</p>`,
      ),
    edits: [
      ["Posted on", "Published on"],
      ["so far", "until now"],
      ["says the counter", "as we count"],
    ],
  },
  "another element for each variant": {
    page: (page, visit) =>
      html(
        page,
        `<div class="hero"><h1>Page ${page}</h1>${mixed(visit, 5) % 2 === 0 ? "<button class=cta>Start your free trial now</button>" : '<a class=cta href="/signup">Sign up</a>'}</div>`,
      ),
    edits: [
      ["<h1>Page", "<h1>The page"],
      ["Paragraph 7", "Section 7"],
    ],
  },
  "ids and classes that are made up": {
    page: (page, visit) => {
      const id = hex(visit, 6, 8);
      return html(
        page,
        `<div id="tabs-${id}" class="tabs css-${text(visit, 7, 5, "abcdefgh")}"><a href="#tab-${id}-1">Description of it</a><div id="tab-${id}-1">Text of the tab.</div></div>`,
      );
    },
    edits: [
      ["Description of", "Details of"],
      ["Text of the tab", "Words of the tab"],
    ],
  },
  "a session in every link": {
    page: (page, visit) => {
      const sid = hex(visit, 8, 32);
      const links = Array.from(
        { length: 30 },
        (_, index) => `<li><a href="./view.php?t=${index}&amp;sid=${sid}">Topic ${index}</a></li>`,
      );
      return html(
        page,
        `<ul>${links.join("\n")}</ul><form action="./search.php?sid=${sid}"><input type="hidden" name="sid" value="${sid}"></form>`,
      );
    },
    edits: [
      ["t=7&amp;", "t=77&amp;"],
      ["Topic 9<", "Topic nine<"],
      ["search.php", "find.php"],
    ],
  },
  "a script with several values": {
    page: (page, visit) =>
      html(
        page,
        `<script>var cfg={user:null,nonce:"${hex(visit, 9, 10)}",ts:${1_700_000_000 + visit * 7},tests:["${pick(["a", "b", "c"], visit, 10) ?? ""}","x"],lang:"en",load:0.${1000 + mixed(visit, 11)}};</script>`,
      ),
    edits: [
      ['lang:"en"', 'lang:"de"'],
      ["nonce:", "token:"],
      ["load:", "took:"],
      ['"x"]', '"y"]'],
    ],
  },
  "numbers in a table": {
    page: (page, visit) =>
      html(
        page,
        `<table class="stats"><tr><th>Views</th><td>${4000 + visit}</td></tr>\n<tr><th>Likes</th><td>${page * 3}</td></tr>\n<tr><th>Load</th><td>0.${10 + (visit % 80)}</td></tr></table>`,
      ),
    edits: [
      ["<th>Likes</th><td>", "<th>Likes</th><td>9"],
      ["Views", "Visits"],
    ],
  },
};

const numbers = Array.from({ length: 20 }, (_, index) => index + 1);

describe.each(Object.entries(software))("%s", (_name, { page, edits }) => {
  let visits = 0;
  const fetched = (number: number) => page(number, (visits += 1 + (mixed(visits, 99) % 3)));
  const learned = learnRules(
    numbers.map((number) => ({ path: `/${number}`, older: fetched(number), newer: fetched(number) })),
    () => [],
  );
  const rules = learned
    .filter(({ evidence }) => evidence.share <= shareMax)
    .map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
  const changes = (a: string, b: string) => assess(new LeftPage(a, rules), new LeftPage(b, rules)).changes;

  test("is told no more after learning", () => {
    const told = [1, 2, 3].flatMap(() => numbers.filter((number) => changes(fetched(number), fetched(number)) > 0));
    expect(told).toEqual([]);
    expect(learned.length).toBeGreaterThan(0);
  });

  test.each(edits)("an edit beside it is told: %s", (from, to) => {
    for (const number of [3, 11]) {
      const after = fetched(number);
      expect(after).toContain(from);
      expect(changes(fetched(number), after.replace(from, to))).toBeGreaterThan(0);
    }
  });
});

import { expect, test } from "@jest/globals";
import { assess } from "./assess.js";
import { shapesOf } from "./fingerprint.js";
import { LeftPage } from "./left-page.js";

const page = (title: string, body: string) => `<!doctype html><title>${title}</title><body>${body}</body>`;
const kindsOf = (pages: readonly (readonly [before: string, after: string])[]) =>
  new Set(
    pages.flatMap(([before, after]) =>
      shapesOf(assess(new LeftPage(before, []), new LeftPage(after, [])).hunks, "/").map(
        ({ fingerprint }) => fingerprint,
      ),
    ),
  ).size;

test("words that were added to a line that is another one on each page are one kind of change", () => {
  const titles = ["Indexes", "Full text search", "A"].map((title) => `${title} of the manual`);
  expect(kindsOf(titles.map((title) => [page(title, ""), page(`${title} (2nd edition)`, "")]))).toBe(1);
  expect(kindsOf(titles.map((title) => [page(`${title} (2nd edition)`, ""), page(title, "")]))).toBe(1);
  // other words are another kind, and so are the same words in another place
  expect(
    kindsOf([
      [page("One of the manual", ""), page("One of the manual (2nd edition)", "")],
      [page("Two of the manual", ""), page("Two of the manual (draft)", "")],
      [page("", "<h1>Three of the manual</h1>"), page("", "<h1>Three of the manual (2nd edition)</h1>")],
    ]),
  ).toBe(3);
});

test("the same words in texts between tags are one kind, whatever is around them", () => {
  const text = (name: string, words: string) =>
    page("T", `<p><b>Note</b> that ${words} has settings for ${name} and more than these</p>`);
  const names = ["indexes", "columns", "locks"];
  expect(kindsOf(names.map((name) => [text(name, "Postgres"), text(name, "PostgreSQL")]))).toBe(1);
  // a number says nothing of what it counts
  const counts = (of: string, count: number) =>
    page("T", `<p><b>Note</b> that there are ${count} of the many ${of}</p>`);
  expect(kindsOf(names.map((name) => [counts(name, 3), counts(name, 4)]))).toBe(3);
});

import { describe, expect, test } from "@jest/globals";
import { compileRule } from "../rules/compile-rule.js";
import { assess } from "./assess.js";
import { shapesOf } from "./fingerprint.js";
import { LeftPage } from "./left-page.js";

const markup = compileRule({
  ...{ id: "r", path: "*", note: "", kind: "markup", selector: null, name: null, parameter: null },
  ...{ pattern: null, syntax: "literal", before: null, after: null },
});
const shapes = (a: string, b: string, form: "source" | "text" = "source") => {
  const rules = form === "text" ? [markup] : [];
  return shapesOf(assess(new LeftPage(a, rules), new LeftPage(b, rules)).hunks, "/page");
};
const kinds = (a: string, b: string, form: "source" | "text" = "source") =>
  new Set(shapes(a, b, form).map(({ fingerprint }) => fingerprint));

const names = Array.from({ length: 80 }, (_, index) => `Name${String.fromCharCode(97 + (index % 26))}${index}`);
const links = (base: string, line = 0) =>
  names.map((name, at) => `<p><a href="${base}/${name}.html#L${at + line}">${name}</a></p><hr>`).join("\n");

describe("a replacement in the addresses of all links is one kind of change", () => {
  test.each([
    ["a version", "https://code.test/v2.9.0/src", "https://code.test/v2.10.0/src", 0],
    ["a version of two parts", "/docs/3.1", "/docs/3.2", 0],
    ["a version, and lines in the source", "/src/2.9.0", "/src/2.10.0", 7],
    ["lines in the source alone", "/src", "/src", 7],
    ["a host", "https://old.test/docs", "https://new.test/docs", 0],
    ["a folder that is new", "/docs", "/docs/latest", 0],
    ["a commit", "/blob/8a1f0c2de41b", "/blob/11d7e0fa3b52", 0],
  ])("%s", (_what, before, after, line) => {
    expect(shapes(links(before), links(after, line))).toHaveLength(1);
  });

  test("on pages of other links and of other depths, too", () => {
    const one = kinds(`<a href="../old/a.html">A</a>`, `<a href="../new/a.html">A</a>`);
    expect(kinds(`<b><a href="../../old/b.html">Else</a></b>`, `<b><a href="../../new/b.html">Else</a></b>`)).toEqual(
      one,
    );
    // a picture, or other words, are another change
    expect(kinds(`<img src="../old/a.png">`, `<img src="../new/a.png">`)).not.toEqual(one);
    expect(kinds(`<a href="../old/a.html">A</a>`, `<a href="../newer/a.html">A</a>`)).not.toEqual(one);
  });

  test("an entry that comes into the menus of pages of all depths is one kind", () => {
    const menu = (up: string, entry: string) =>
      `<ul><li><a href="${up}a.html">A</a></li>${entry && `<li><a href="${up}${entry}">New</a></li>`}</ul>`;
    const at = (up: string, entry: string, form: "source" | "text") => kinds(menu(up, ""), menu(up, entry), form);
    for (const form of ["source", "text"] as const) {
      expect(at("../../", "new.html", form)).toEqual(at("../", "new.html", form));
      expect(at("../", "else.html", form)).not.toEqual(at("../", "new.html", form));
    }
    expect(kinds(menu("../", ""), menu("../", "new.html"))).toEqual(kinds(menu("", ""), menu("", "new.html")));
  });

  test("where only the text and the links count", () => {
    const [before, after] = [links("https://code.test/v2.9.0/src"), links("https://code.test/v2.10.0/src")];
    expect(shapes(before, after, "text")).toHaveLength(1);
  });

  test("class names that change in turn are one kind for each replacement", () => {
    const rows = (first: number) =>
      names.map((name, at) => `<li class="row ${(at + first) % 2 ? "odd" : "even"}">${name}</li>`).join("<hr>");
    expect(shapes(rows(0), rows(1))).toHaveLength(2);
  });
});

describe("what is another change stays one", () => {
  const before = links("/docs/v2.9.0");
  const after = links("/docs/v2.10.0");

  test.each([
    ["the text of one of the links", after.replace(">Namee4<", ">Other<")],
    ["a link to another page", after.replace("Namee4.html", "Else.html")],
    ["a paragraph between them", after.replace("<hr>", "<p>New</p><hr>")],
  ])("%s", (_what, edited) => {
    expect(edited).not.toBe(after);
    const found = shapes(before, edited);
    expect(found.map(({ added }) => added).join("\n")).toMatch(/Other|Else|New/);
    expect(kinds(before, edited).size).toBe(2);
  });

  test("numbers in addresses lead to something else in each link", () => {
    const shop = (first: number, second: number) =>
      `<a href="/item/${first}/tea">Tea</a><hr><a href="/item/${second}/milk">Milk</a>`;
    expect(kinds(shop(1, 2), shop(3, 4)).size).toBe(2);
    expect(kinds(shop(1, 2), shop(3, 4))).not.toEqual(kinds(shop(1, 2), shop(1, 4)));
  });

  test("a page with more changes than are told apart is rewritten, whatever its links are", () => {
    const words = (word: string) => names.map((name) => `<p>${word} of ${name.toLowerCase()}</p><hr>`).join("\n");
    const [one] = kinds(words("Old") + before, words("New") + after);
    const [other] = kinds(words("Red"), words("Blue"));
    expect(kinds(words("Old") + before, words("New") + after).size).toBe(1);
    expect(one).toBe(other);
  });
});

test("long addresses with many changes take time that grows with their length", () => {
  const line = (kind: "removed" | "added") => {
    const text = `<a href="${"x".repeat(3_000)}/${"a".repeat(10)}">`;
    const marks = Array.from({ length: 10 }, (_, at): [number, number] => [3_010 + at, 3_011 + at]);
    return { kind, text, marks };
  };
  const lines = [
    ...Array.from({ length: 500 }, () => line("removed")),
    ...Array.from({ length: 500 }, () => line("added")),
  ];
  const began = process.cpuUsage();
  expect(shapesOf([{ aStart: 1, aCount: 500, bStart: 1, bCount: 500, lines }], "/page")).toHaveLength(1);
  // generous: a tenth of a second as a rule, and quadratic time would be a minute
  expect(process.cpuUsage(began).user).toBeLessThan(8_000_000);
});

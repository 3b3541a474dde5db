import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import fc from "fast-check";
import { compileRule } from "../rules/compile-rule.js";
import { assess } from "./assess.js";
import { factShape, shapesOf } from "./fingerprint.js";
import { LeftPage } from "./left-page.js";

const rule = (fields: Partial<AppliedRule> & Pick<AppliedRule, "kind">): AppliedRule => ({
  ...{ id: "r", path: "*", note: "", selector: null, name: null, parameter: null, pattern: null, syntax: "literal" },
  ...{ before: null, after: null },
  ...fields,
});
const look = (a: string, b: string, ...rules: AppliedRule[]) => {
  const compiled = rules.map((each) => compileRule(each));
  return assess(new LeftPage(a, compiled), new LeftPage(b, compiled));
};

const page = (fields: { token?: string; views?: string; body?: string; ad?: string; list?: string[] }) =>
  `<!doctype html><html><head><title>T</title><script nonce="${fields.token ?? "n1"}">var t = "${fields.token ?? "n1"}";</script></head>
<body><h1>Hello</h1><p class=views>Seen ${fields.views ?? "12"} times by <b>us</b></p>${fields.ad ?? "<div class=ad>Buy <b>this</b></div>"}
<ul class=names>${(fields.list ?? ["a", "b", "c"]).map((name) => `<li><a href="/x?sid=${fields.token ?? "n1"}&n=${name}">${name}</a>`).join("")}</ul>
<p>${fields.body ?? "Body"}</p></body></html>`;

describe("rules of each kind", () => {
  test.each<[string, AppliedRule, Parameters<typeof page>[0], Parameters<typeof page>[0]]>([
    ["element", rule({ kind: "element", selector: ".ad" }), {}, { ad: "<div class=ad>Else <i>!</i></div>" }],
    ["element that is gone", rule({ kind: "element", selector: ".ad" }), {}, { ad: "" }],
    ["text", rule({ kind: "text", pattern: "Seen * times" }), {}, { views: "1,234" }],
    ["re2", rule({ kind: "text", syntax: "re2", pattern: "Seen [0-9,]+" }), {}, { views: "1,234" }],
    ["between", rule({ kind: "between", before: "Seen ", after: " times" }), {}, { views: "1,234" }],
    ["keep", rule({ kind: "keep", selector: "h1" }), {}, { views: "9", body: "Else" }],
    ["order", rule({ kind: "order", selector: ".names" }), {}, { list: ["c", "a", "b"] }],
    ["markup", rule({ kind: "markup" }), {}, { ad: "<section id=x>\n  Buy <i>this</i></section>" }],
    ["scripts", rule({ kind: "markup" }), {}, { ad: "<div>Buy <b>this</b></div><script>call()</script><!-- note -->" }],
  ])("%s", (_name, made, before, after) => {
    const [a, b] = [page(before), page(after)];
    expect(look(a, b).changes).toBeGreaterThan(0);
    expect(look(a, b, made)).toMatchObject({ changes: 0, ignored: expect.any(Number) });
    expect(look(a, b, made).ignored).toBeGreaterThan(0);
    // the same with an edit in addition
    const edited = page({ ...after, body: "Edited" });
    if (made.kind !== "keep") expect(look(a, edited, made)).toMatchObject({ changes: 1 });
    expect(look(a, b.replace("Hello", "Bye"), made)).toMatchObject({ changes: 1 });
  });

  test("beside the markup, links and the words of pictures count", () => {
    const made = rule({ kind: "markup" });
    const body = (href: string, alt: string) => page({ body: `<a class=x href="${href}">go</a> <img alt="${alt}">` });
    expect(look(body("/a", "A"), body("/a", "A").replace("class=x", "class=y"), made)).toMatchObject({ changes: 0 });
    expect(look(body("/a", "A"), body("/b", "A"), made)).toMatchObject({ changes: 1 });
    expect(look(body("/a", "A"), body("/a", "B"), made)).toMatchObject({ changes: 1 });
  });

  test("an attribute, a parameter of addresses and a text together", () => {
    const rules = [
      rule({ kind: "attribute", selector: "script", name: "nonce" }),
      rule({ kind: "attribute", selector: "a", name: "HREF", parameter: "sid" }),
      rule({ kind: "text", pattern: 'var t = "*"' }),
    ];
    const [a, b] = [page({ token: "abc" }), page({ token: "xyz1" })];
    expect(look(a, b, ...rules)).toMatchObject({ changes: 0 });
    for (const left of rules) expect(look(a, b, ...rules.filter((each) => each !== left)).changes).toBeGreaterThan(0);
    expect(look(a, b.replace("n=b", "n=B"), ...rules)).toMatchObject({ changes: 1 });
  });

  test.each([
    ["a list", (ids: string) => `<a href="/x?ids=${ids}&k=1">x</a>`, ["1,2,3", "4,5"]],
    ["addresses of a srcset", (v: string) => `<a href="/a.jpg?ids=${v}, /b.jpg?ids=${v} 2x">x</a>`, ["1", "22"]],
  ])("the value of a parameter is ignored whole, and no more: %s", (_name, write, [one = "", other = ""]) => {
    const made = rule({ kind: "attribute", selector: "a", name: "href", parameter: "ids" });
    expect(look(write(one), write(other), made)).toMatchObject({ changes: 0, ignored: 1 });
    expect(look(write(one), write(other).replace(/k=1|b.jpg/, "else"), made)).toMatchObject({ changes: 1 });
  });

  test("white space that means nothing is no change", () => {
    expect(look("<p>a</p><p>b</p>", "<p>a</p>\n\n <p>b</p>")).toMatchObject({ changes: 0, ignored: 1 });
  });

  test("line ends of another system are no change", () => {
    const lines = "<!doctype html>\n<style>\na{}\n</style>\n<pre>a\nb</pre>\n<script>\nc\n</script>\n<p>d\ne";
    const other = lines.replaceAll("\n", "\r\n");
    expect(look(lines, other)).toMatchObject({ changes: 0 });
    expect(look(lines, other.replace("c", "C"))).toMatchObject({ changes: 1 });
  });

  test("elements that nobody closed end where the next one begins", () => {
    const made = rule({ kind: "element", selector: "li:first-child" });
    expect(look("<ul><li>a<li>b</ul>", "<ul><li>x<li>b</ul>", made)).toMatchObject({ changes: 0, ignored: 1 });
    expect(look("<ul><li>a<li>b</ul>", "<ul><li>a<li>y</ul>", made)).toMatchObject({ changes: 1, ignored: 0 });
  });

  test("where nothing is to be kept, the whole page counts", () => {
    expect(look("<p>a", "<p>b", rule({ kind: "keep", selector: "#none" }))).toMatchObject({ changes: 1 });
  });

  test.each([
    [rule({ kind: "element", selector: "li:has(" }), "is not a CSS selector"],
    [rule({ kind: "element" }), "needs a CSS selector"],
    [rule({ kind: "text", pattern: "***" }), "some text beside"],
    [rule({ kind: "text", pattern: "(a", syntax: "re2" }), "RE2's syntax"],
    [rule({ kind: "text", pattern: "a*", syntax: "re2" }), "matches nothing at all"],
    [rule({ kind: "header", name: "date" }), "are not looked at"],
  ])("%j is refused in words", (made, words) => {
    expect(() => compileRule(made)).toThrow(words);
  });
});

describe("hostile rules and pages", () => {
  test.each([
    ["deep", "<div>".repeat(20_000), rule({ kind: "element", selector: "div div div p ~ p" }), 0],
    ["wide", "<p>x</p>".repeat(20_000), rule({ kind: "element", selector: "p:has(~ p ~ p ~ b)" }), 0],
    ["contains", `<div>${"<p>x</p>".repeat(20_000)}</div>`, rule({ kind: "element", selector: "*:contains('zz')" }), 0],
    ["expression", "a".repeat(200_000), rule({ kind: "text", syntax: "re2", pattern: "(a+)+$|(a|a)*b" }), 1],
    ["stars", "ab".repeat(300_000), rule({ kind: "text", pattern: "a*a*a*a*a*c" }), 0],
    ["order", "<div>a<b>c</b>".repeat(4_000), rule({ kind: "order", selector: "div" }), 0],
  ])("%s ends soon, and where it takes too long the rule does not apply", (_name, html, made, places) => {
    const began = process.cpuUsage();
    const { mask } = new LeftPage(html, [compileRule(made)]);
    // measured in CPU time of this process, as others may use the machine too; without a limit it takes hours
    expect(process.cpuUsage(began).user).toBeLessThan(20_000_000);
    expect(mask.masked).toHaveLength(mask.notApplied.length > 0 ? 0 : places);
  });
});

test("order in order is left out a hundred elements deep, and behind that told not to be", () => {
  const made = rule({ kind: "order", selector: "div" });
  const nest = (depth: number, swap: boolean) => {
    const inner = swap ? "<i>2</i><i>1</i>" : "<i>1</i><i>2</i>";
    return `${"<div><u>x</u>".repeat(depth)}${inner}${"</div>".repeat(depth)}`;
  };
  expect(look(nest(100, false), nest(100, true), made)).toMatchObject({ changes: 0, ignored: 1 });
  expect(look(nest(101, false), nest(101, true), made)).toMatchObject({ changes: 1 });
  const { notApplied } = new LeftPage(nest(101, false), [compileRule(made)]).mask;
  expect(notApplied).toEqual([{ rule: "r", reason: "what it names is nested too deeply" }]);
});

describe("whatever the pages hold", () => {
  const word = fc.constantFrom(
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "one",
    "two",
    "three",
    " ",
    "\n",
    "<i class=x>",
    "</i>",
    "<li>",
  );
  const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(""));

  test("what differs outside of masked ranges is told", () => {
    const made = rule({ kind: "between", before: "[[", after: "]]" });
    fc.assert(
      fc.property(text, text, text, text, (head, one, other, tail) => {
        const same = look(`${head}[[${one}]]${tail}`, `${head}[[${other}]]${tail}`, made);
        expect(same.changes).toBe(0);
        expect(look(`${head}[[${one}]]${tail}`, `${head}[[${other}]]<p>edit</p>${tail}`, made).changes).toBeGreaterThan(
          0,
        );
      }),
    );
  });

  test("without rules, pages differ in what matters where they differ in more than white space", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const { changes, ignored } = look(a, b);
        if (a === b) expect([changes, ignored]).toEqual([0, 0]);
        else expect(changes + ignored).toBeGreaterThan(0);
        if (a.replaceAll(/\s+/g, "") !== b.replaceAll(/\s+/g, "")) expect(changes).toBeGreaterThan(0);
      }),
    );
  });
});

/** Returns pseudo-random bytes, the same in every run. */
const bytes = (length: number, seed: number) => createHash("sha512").update(`${seed}`).digest().subarray(0, length);

describe("fingerprints", () => {
  const shape = (a: string, b: string, path = "/") =>
    shapesOf(look(a, b).hunks, path).map(({ fingerprint }) => fingerprint);

  test("one change on two pages has one, whatever stands around it", () => {
    expect(shape("<p>x</p><footer>© 2025 Us</footer>", "<p>x</p><footer>© 2026 Us</footer>")).toEqual(
      shape("<h1>y</h1><footer>© 2025 Us</footer>", "<h1>y</h1><footer>© 2026 Us</footer>"),
    );
  });

  test("a part that moved is one kind on all pages; one that was edited as well, came twice or is short is not", () => {
    const part = (words: string) => `<h2>Limits</h2><p>A name has up to ${words} characters.</p>`;
    const rest = (name: string) =>
      Array.from({ length: 4 }, (_, index) => `<p>${name} paragraph ${index}</p>`).join("");
    const kinds = (a: string, b: string, name: string) =>
      shapesOf(look(a.replaceAll("@", rest(name)), b.replaceAll("@", rest(name))).hunks, "/");
    const one = kinds(`${part("80")}@`, `@${part("80")}`, "One");
    expect(one).toMatchObject([{ kind: "moved", removed: expect.stringContaining("Limits") }]);
    expect(one[0]?.added).toBe(one[0]?.removed);
    // the other way, on a page of other words; the number is told beside the kind
    const other = kinds(`@${part("90")}`, `${part("90")}@`, "Other");
    expect(other.map(({ fingerprint }) => fingerprint)).toEqual(one.map(({ fingerprint }) => fingerprint));
    expect(other[0]?.leftOut).not.toBe(one[0]?.leftOut);
    const content = { kind: "content" };
    expect(kinds(`${part("80")}@`, `@${part("few")}`, "One")).toMatchObject([content, content]);
    expect(kinds("<p>Short</p>@", "@<p>Short</p>", "One")).toMatchObject([content, content]);
    expect(kinds(`@${part("80")}@`, `${part("80")}@@${part("80")}`, "One")).toMatchObject([{ kind: "moved" }, content]);
  });

  test("what people are shown of a change has no sign for a value that was left out", () => {
    const seen = rule({ kind: "text", syntax: "re2", pattern: "Seen ([0-9]+)" });
    const [told] = shapesOf(look("<p>Seen 12 times</p>", "<p>Seen 13 or so</p>", seen).hunks, "/");
    expect([told?.removed, told?.added]).toEqual(["<p>Seen … times</p>", "<p>Seen … or so</p>"]);
  });

  test("numbers, ids and the page's own address are left out", () => {
    expect(shape("<p>Seen 12</p>", "<p>Seen 13</p>")).toEqual(shape("<p>Seen 1</p>", "<p>Seen 999</p>"));
    expect(shape("<a href=/one>a</a>", "<a href=/one?x>a</a>", "/one")).toEqual(
      shape("<a href=/two>a</a>", "<a href=/two?x>a</a>", "/two"),
    );
  });

  test.each([
    ["base 36", "icmmo78vcd", "k2j3h4x9qa", "7d0f9q1pzw1", "qwmvbzkrtl"],
    ["hex", "9f8e7d6c5b4a", "00a1b2c3d4e5", "1a2b3c4d5e6f", "aabbccddee11"],
  ])("tokens in %s are left out, though one of two has letters alone", (_, a, b, c, d) => {
    const seen = (count: number, token: string) => `<main><p>seen ${count} times, nonce ${token}</p><p>same</p></main>`;
    expect(shape(seen(1, a), seen(2, b))).toEqual(shape(seen(88, c), seen(89, d)));
    expect(shape(seen(1, a), seen(2, b))).toEqual(shape(seen(8, d), seen(1234, c)));
  });

  const tag = (value: string) => `<p>same</p><input type=hidden name=t value="${value}"><p>more</p>`;
  const line = (value: string) =>
    `<p>same</p><script nonce="${value}">var all = "words that stay", and = "many more of these", so = "a long line";</script>`;
  test.each<[string, (seed: number) => string]>([
    [
      "UUIDs",
      (seed) =>
        bytes(16, seed)
          .toString("hex")
          .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
    ],
    ["SHA-1", (seed) => bytes(20, seed).toString("hex")],
    ["base64 of 24 bytes", (seed) => bytes(24, seed).toString("base64")],
    ["base64url of 32 bytes", (seed) => bytes(32, seed).toString("base64url")],
  ])("%s are left out, in a short tag and in a long line", (_, token) => {
    for (const form of [tag, line]) {
      const pages = Array.from({ length: 100 }, (_each, seed) =>
        shape(form(token(seed)), form(token(seed + 500))).join(),
      );
      const most = Math.max(...pages.map((one) => pages.filter((other) => other === one).length));
      expect(most).toBeGreaterThan(85);
    }
  });

  test.each([
    ["<p>Costs 9 EUR</p>", "<p>Costs 12 EUR</p>", "<p>Costs 99 EUR</p>", true],
    ["<p>Costs 9.90 EUR</p>", "<p>Costs 12.90 EUR</p>", "<p>Costs 99.90 EUR</p>", true],
    ['<b data-n="1">a</b>', '<b data-n="2">a</b>', '<b data-n="3">a</b>', false],
    ["<p>Id 9e107d9d372bb682</p>", "<p>Id e4d909c290d0fb1c</p>", "<p>Id ab56b4d92b40713a</p>", false],
    ["<p>Call 030 12345678</p>", "<p>Call 030 12345679</p>", "<p>Call 030 87654321</p>", true],
  ])("what readers see of numbers is told beside: %s, %s, %s", (before, one, other, isSeen) => {
    const [first, second] = [one, other].map((after) => shapesOf(look(before, after).hunks, "/")[0]);
    expect(first?.fingerprint).toBe(second?.fingerprint);
    expect(first?.leftOut !== second?.leftOut).toBe(isSeen);
    expect(first?.leftOut !== null).toBe(isSeen);
  });

  test("of a long line the numbers are told beside that changed in it, and of a long text its end", () => {
    const leftOut = (before: string, after: string) => shapesOf(look(before, after).hunks, "/")[0]?.leftOut;
    const long = (end: string) => `<script>${"var same = 1;".repeat(2_000)}${end}</script>`;
    expect(leftOut(long("old(1);"), long("price(9);"))).toBe(leftOut(long("old(1);"), long("price(9);")));
    expect(leftOut(long("old(1);"), long("price(9);"))).not.toBe(leftOut(long("old(1);"), long("price(12);")));
    const bundle = (end: string) => leftOut("<script>x</script>", `<script>${"let y;".repeat(5_000)}${end}</script>`);
    expect(bundle("send()")).toBe(bundle("send()"));
    expect(bundle("send()")).not.toBe(bundle("steal()"));
  });

  test("of a page that was rewritten all of it is told beside", () => {
    const rows = (word: string) => Array.from({ length: 60 }, (_, row) => `<p>${row}</p><b>${word}</b>`).join("\n");
    const [one, again, other] = ["x", "x", "y"].map((word) => shapesOf(look(rows("a"), rows(word)).hunks, "/")[0]);
    expect([one?.fingerprint, one?.leftOut]).toEqual([again?.fingerprint, again?.leftOut]);
    expect(one?.fingerprint).toBe(other?.fingerprint);
    expect(one?.leftOut).not.toBe(other?.leftOut);
  });

  test("of more lines than a function may have arguments, in one change or in many", () => {
    const rows = (word: string, count: number) =>
      Array.from({ length: count }, (_, row) => ({ kind: "added" as const, text: `${word} of row ${row}` }));
    const hunk = (lines: ReturnType<typeof rows>) => ({
      ...{ aStart: 1, aCount: 0, bStart: 1, bCount: lines.length, lines },
    });
    const one = (word: string) => shapesOf([hunk(rows(word, 150_000))], "/")[0]?.fingerprint;
    expect(one("a")).not.toBe(one("b"));
    const many = (word: string) =>
      shapesOf(
        Array.from({ length: 60 }, () => hunk(rows(word, 2_500))),
        "/",
      )[0]?.leftOut;
    expect(many("a")).not.toBe(many("b"));
  });

  test("numbers of several parts count as one, however many of the parts changed", () => {
    const link = (number: string) => `<p><a href="page.html#id-${number}-bb">go</a></p>`;
    const one = shape(link("1_3_34_5_6"), link("1_3_33_5_6"));
    expect(shape(link("1_3_34_5_30_1_1"), link("1_3_33_5_31_1_1"))).toEqual(one);
    expect(shape(link("1_3_4"), link("1_3_4_5"))).toEqual(one);
    expect(shape(link("1_3_34_5_6"), link("none"))).not.toEqual(one);
    const version = (number: string) =>
      shapesOf(look("<p>Version 1.74.0</p>", `<p>Version ${number}</p>`).hunks, "/")[0];
    expect(version("1.81.0")?.fingerprint).toBe(version("1.74.10")?.fingerprint);
    expect(version("1.81.0")?.leftOut).not.toBe(version("1.74.10")?.leftOut);
  });

  test("names and paths in quotes are no ids", () => {
    const pairs = [
      ["/assets/pictures/TeamInBerlin2024", "/assets/pictures/TeamInParis2024"],
      ["backgroundColorOfTheHeader", "backgroundColorOfTheFooter"],
      ["section-how-to-install-it-2", "section-how-to-remove-it-2"],
    ];
    expect(new Set(pairs.map(([a = "", b = ""]) => shape(tag(a), tag(b)).join())).size).toBe(pairs.length);
  });

  test("a word in place of a token has its own", () => {
    const coded = (token: string) => `<p>code ${token}</p>`;
    expect(shape(coded("icmmo78vcd"), coded("none"))).not.toEqual(shape(coded("icmmo78vcd"), coded("k2j3h4x9qa")));
    expect(shape(coded("version-two"), coded("version-six"))).not.toEqual(
      shape(coded("version-two"), coded("version-ten")),
    );
  });

  test("other words have another one", () => {
    expect(shape("<p>red</p>", "<p>green</p>")).not.toEqual(shape("<p>red</p>", "<p>blue</p>"));
  });

  test("the same words that change in the titles of two pages are one kind, other words another one", () => {
    const title = (before: string | null, after: string | null) => factShape("title", before, after);
    const one = title("1. Files — Manual v4.6.2.0 by us", "1. Files — Manual v4.6.3.0 by us");
    const other = title("Index — Manual v4.6.2.0 by us", "Index — Manual v4.6.3.0 by us");
    expect(other.fingerprint).toBe(one.fingerprint);
    expect([one.removed, one.added]).toEqual([
      "title: 1. Files — Manual v4.6.2.0 by us",
      "title: 1. Files — Manual v4.6.3.0 by us",
    ]);
    const further = [
      title("Index — Manual", "List — Manual"),
      title(null, "a a"),
      title("a a", "a"),
      title("a", "a a"),
    ];
    expect(new Set([one, ...further].map(({ fingerprint }) => fingerprint)).size).toBe(5);
  });

  test("headings of two levels are two places", () => {
    const place = (a: string, b: string) => shapesOf(look(a, b).hunks, "/")[0]?.place;
    expect(place("<h1>a</h1>", "<h1>b</h1>")).toBe(place("<h1>c</h1>", "<h1>d</h1>"));
    expect(place("<h1>a</h1>", "<h1>b</h1>")).not.toBe(place("<h4>a</h4>", "<h4>b</h4>"));
  });

  test("a page that was rewritten is one change", () => {
    const lines = (word: string) =>
      Array.from({ length: 200 }, (_, index) => `<p>same ${index}</p><p>${word}</p>`).join("");
    expect(shape(lines("a"), lines("b"))).toHaveLength(1);
  });
});

import { expect, test } from "@jest/globals";
import { markForQuirks } from "./quirks.js";
import type { ReplayContext } from "./replay-context.js";
import { rewriteForReplay } from "./rewrite-for-replay.js";

const baseUrl = "http://site.test/dir/page";
const stored: ReplayContext = {
  baseUrl,
  noscript: "show",
  address: () => null,
  document: () => null,
  sprite: () => null,
};

test("a frame whose document has no doctype, or one of old, is shown by the rules of old", () => {
  const shown = (html: string, page = "<iframe src=f.html>") =>
    rewriteForReplay(page, { ...stored, document: () => ({ html, baseUrl }) }).includes(":where(table)");
  expect(shown("<table>")).toBe(true);
  expect(shown("\uFEFF <!-- > --><?xml?>\n<html><!doctype html>")).toBe(true);
  expect(shown("<!-- <!doctype html>")).toBe(true);
  expect(shown(`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">`)).toBe(true);
  expect(shown(`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">`)).toBe(true);
  expect(
    shown(`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">`),
  ).toBe(false);
  expect(shown(" <!-- a --><!doctype html><table>")).toBe(false);
  // of a text that stands in the page there are no such rules
  expect(shown("", `<iframe srcdoc="<table>">`)).toBe(false);
  expect(shown("", `<iframe src=f.html srcdoc="<table>">`)).toBe(true);
});

test("a block after text keeps its margin where the rules of old take that of a first one away", () => {
  const marked = (html: string) => {
    const document = () => ({ html, baseUrl });
    return rewriteForReplay(`<iframe src=f.html></iframe>`, { ...stored, document }).includes(" data-after-text&gt;");
  };
  for (const html of ["<body bgcolor=red> text <h2>x", "<table><td>text<P>x"]) {
    expect(marked(html)).toBe(true);
    expect(marked(`<!doctype html>${html}`)).toBe(false);
  }
  for (const html of ["<body> <h2>x", "<td><b>text</b><p>x", "<td>text<pic>"]) expect(marked(html)).toBe(false);
});

test.each(["<td", "<td>", "<td>text ", "<body>  ", "<td>x<p"])(
  "many %s take time that grows with their number",
  (html) => {
    const start = process.cpuUsage();
    markForQuirks(html.repeat(100_000));
    // generous: quadratic time would be minutes
    expect(process.cpuUsage(start).user).toBeLessThan(4_000_000);
  },
);

import { expect, test } from "@jest/globals";
import { RE2JS } from "re2js";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import { isHeld } from "../learn/bound-rules.js";
import { learnRules } from "../learn/learn-rules.js";
import { compileRule } from "../rules/compile-rule.js";
import { isMoment } from "./moments.js";
import { relativeTimes } from "./relative-time.js";
import { classOf } from "./value-class.js";

const arabic = new Intl.NumberFormat("ar-EG");
const clock = new Intl.DateTimeFormat("ar-EG", { timeStyle: "medium", timeZone: "UTC" });
const prose = Array.from({ length: 25 }, (_, index) => `<p>الفقرة ${index} تقول ما يجب أن يقال.</p>`).join("\n");
/** A page of an Arabic site with a clock, a counter, and a price that changes only when an editor changes it. */
const page = (number: number, visit: number, price = number * 120) =>
  `<html lang="ar" dir="rtl"><body><p>الوقت: ${clock.format(1_777_000_000_000 + visit * 7_000)} — الزوار: ${arabic.format(2_000 + visit * 37)}</p>
<p>السعر: ${arabic.format(price)} جنيه</p>${prose}</body></html>`;

test("clocks and counters in Arabic digits are learned, and a price in them is told", () => {
  const rules = learnRules(
    Array.from({ length: 10 }, (_, index) => ({
      path: `/${index + 1}`,
      older: page(index + 1, index * 3),
      newer: page(index + 1, index * 3 + 50),
    })),
    () => [],
  )
    .filter(({ spec }) => isHeld(spec))
    .map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
  const changes = (a: string, b: string) => assess(new LeftPage(a, rules), new LeftPage(b, rules)).changes;
  expect(changes(page(3, 300), page(3, 301))).toBe(0);
  expect(changes(page(3, 300), page(3, 301, 361))).toBe(1);
  expect(changes(page(3, 300), page(3, 301).replace("الزوار", "القراء"))).toBe(1);
});

test.each([
  [["٤٬١١١", "٢٬٨٦٩"], "٩٬٩٩٩", "قريبا"],
  [["۱۲۳۴", "۱۲۳۵"], "۹۹۹۹", "زود"],
  [["१२ जन", "३४ जन"], "५६ जन", "५६ घर"],
  [["第１２位", "第３４位"], "第５６位", "第五位"],
])("numbers in other digits are known by their shape: %j", (values, next, other) => {
  const pattern = RE2JS.compile(`^(?:${classOf(values, false) ?? ""})$`);
  expect(pattern.matches(next)).toBe(true);
  expect(pattern.matches(other)).toBe(false);
});

test.each(["ar-EG", "fa", "he", "hi", "ar"])("a time ago is known in %s", (locale) => {
  const format = new Intl.RelativeTimeFormat(locale);
  const seen = [format.format(-3, "minute"), format.format(-2, "hour")];
  const pattern = RE2JS.compile(`^(?:${relativeTimes(seen) ?? ""})$`);
  for (const next of [format.format(-11, "minute"), format.format(-1, "day")]) expect(pattern.matches(next)).toBe(true);
  expect(pattern.matches("—")).toBe(false);
});

test.each(["en-US", "ar-EG", "de", "fa"])("a time as Intl writes it in %s is one", (locale) => {
  const format = new Intl.DateTimeFormat(locale, { timeStyle: "medium", timeZone: "UTC" });
  // newer versions of Intl write a narrow space before AM and PM
  expect(isMoment(format.format(1_777_000_000_000))).toBe(true);
});

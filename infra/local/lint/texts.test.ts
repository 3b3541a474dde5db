import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { errorCodes } from "@web-tester/contracts/errors";
import { faultTexts } from "@web-tester/contracts/faults";
import { jobLines } from "@web-tester/contracts/job-lines";
import { lifecycleSaid } from "@web-tester/contracts/lifecycle-said";
import { objectSettings } from "@web-tester/contracts/object-settings";
import { bareTexts, missingIn, usedTexts } from "./texts.js";

const source = join(import.meta.dirname, "..", "..", "..", "web", "src");
const german = JSON.parse(readFileSync(join(source, "texts", "de.json"), "utf8")) as Readonly<Record<string, string>>;
const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(source, name), "utf8") }));

/** The texts of all settings: labels, hints and choices. */
const optionTexts = Object.values(objectSettings).flatMap((setting) => [
  setting.label,
  ...("hint" in setting && typeof setting.hint === "string" ? [setting.hint] : []),
  ...("choices" in setting && setting.choices !== undefined
    ? setting.choices.flatMap((choice) => [
        choice.label,
        ...("words" in choice && choice.words !== undefined ? [choice.words] : []),
      ])
    : []),
]);

test("no text of a screen stands outside of the catalogue", () => {
  expect(files.flatMap(({ name, text }) => bareTexts(name, text))).toEqual([]);
});

test("every text of the screens and of the options has its German", () => {
  const texts = [...files.flatMap(({ name, text }) => usedTexts(name, text)), ...optionTexts];
  expect(texts.length).toBeGreaterThan(1_000);
  expect(texts.filter((text) => !(text in german))).toEqual([]);
});

test("every refusal and every reason of a failed page has its German sentence", () => {
  expect(Object.keys(errorCodes).filter((code) => german[`error:${code}`] === undefined)).toEqual([]);
});

test("every line of the console has its German", () => {
  expect(Object.keys(jobLines).filter((code) => german[`line:${code}`] === undefined)).toEqual([]);
});

test("every fault with a code has its German", () => {
  expect(Object.keys(faultTexts).filter((code) => german[`fault:${code}`] === undefined)).toEqual([]);
  expect(Object.keys(lifecycleSaid).filter((code) => german[`said:${code}`] === undefined)).toEqual([]);
});

test("nothing is translated that no screen shows", () => {
  const used = new Set([...files.flatMap(({ name, text }) => usedTexts(name, text)), ...optionTexts]);
  const code = files.map(({ text }) => text).join("\n");
  // labels in tables are in quotes; these six are looked up by the code that follows the colon
  const isShown = (key: string) =>
    used.has(key) || code.includes(JSON.stringify(key)) || /^(ended|error|fault|line|said|skip|warning):/.test(key);
  expect(Object.keys(german).filter((key) => !isShown(key))).toEqual([]);
});

const coded: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(jobLines).map(([code, text]) => [`line:${code}`, text]),
  ...Object.entries(faultTexts).map(([code, text]) => [`fault:${code}`, text]),
  ...Object.entries(lifecycleSaid).map(([code, text]) => [`said:${code}`, text]),
]);

/** The English text that a key of the catalogue stands for: lines of the console and faults are keyed by their code. */
const englishOf = (key: string): string => coded[key] ?? key;

test("the German has what the English has", () => {
  expect(Object.entries(german).flatMap(([key, text]) => missingIn(englishOf(key), text))).toEqual([]);
});

describe("what is wrong is noticed", () => {
  test.each([
    ["a text between elements", `const A = () => <p>Not in the catalogue</p>;`, "Not in the catalogue"],
    ["a label", `const A = () => <B label="Planted label" />;`, "Planted label"],
    ["a choice of two", `const A = () => <p>{x ? "Planted one" : t("Save")}</p>;`, "Planted one"],
    ["a label made of parts", "const A = () => <B title={`Planted ${x}`} />;", "Planted …"],
    ["a toast", `toast("info", "Planted toast");`, "Planted toast"],
  ])("%s", (_what, text, found) => {
    expect(bareTexts("planted.tsx", text)).toEqual([`planted.tsx:1 ${found}`]);
  });

  test("what is no text is let be", () => {
    const text =
      'const A = () => <p className="a b" data-tone="failed">{t("Save")} #{n} <code>API_TOKEN</code> · </p>;';
    expect(bareTexts("fine.tsx", text)).toEqual([]);
  });

  test("a text that is used and one that is counted are both looked up", () => {
    expect(usedTexts("planted.tsx", 't("Planted"); counted(n, "planted thing"); t(x ? "One" : "Two")')).toEqual([
      "Planted",
      "{n} planted thing|{n} planted things",
      "One",
      "Two",
    ]);
  });

  test.each([
    ["Hello {name}", "Hallo"],
    ["Hello", ""],
    ["{n} page|{n} pages", "{n} Seiten"],
    ["Hello", "Hallo {name}"],
  ])("%s as %j", (english, text) => expect(missingIn(english, text)).toHaveLength(1));
});

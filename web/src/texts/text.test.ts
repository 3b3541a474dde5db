import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { chooseLanguage, language, languageOf, locale, startLanguage } from "./language.js";
import { formatNumber } from "./number.js";
import { rich, t, translated } from "./text.js";

/** Mocks what a page provides: the browser's languages, storage, and the root element. */
function page(languages: readonly string[], kept: Record<string, string> = {}) {
  const store = new Map(Object.entries(kept));
  const root = { lang: "" };
  jest.replaceProperty(globalThis, "navigator", { languages } as unknown as Navigator);
  Object.assign(globalThis, {
    document: { documentElement: root },
    localStorage: {
      getItem: (key: string) => store.get(key) ?? null,
      setItem: (key: string, value: string) => store.set(key, value),
      removeItem: (key: string) => store.delete(key),
    },
  });
  return { root, store };
}

afterEach(async () => {
  page(["en-US"]);
  await chooseLanguage("en");
  jest.restoreAllMocks();
});

describe("the language", () => {
  test.each([
    [["de-AT", "en"], "de"],
    [["fr", "de"], "de"],
    [["fr-FR"], "en"],
    [["en-GB", "de"], "en"],
    [[], "en"],
  ])("of a browser with %j is %s", (languages, expected) => expect(languageOf(languages)).toBe(expected));

  test("is the browser's until another is chosen, which is remembered until it is the browser's again", async () => {
    const { root, store } = page(["de-DE"]);
    await startLanguage();
    expect([language(), root.lang]).toEqual(["de", "de"]);
    await chooseLanguage("en");
    expect([root.lang, ...store.values()]).toEqual(["en", "en"]);
    await startLanguage();
    expect(language()).toBe("en");
    await chooseLanguage("de");
    expect(store.size).toBe(0);
  });
});

describe("a text", () => {
  test("is its English, with values filled in", () => {
    expect(t("Data Protection")).toBe("Data Protection");
    expect(t("Saved, but it could not be tried: {reason}", { reason: "a {reason}" })).toBe(
      "Saved, but it could not be tried: a {reason}",
    );
  });

  test("is German once that is chosen, numbers too", async () => {
    page(["de-DE"]);
    await chooseLanguage("de");
    expect(t("Data Protection")).toBe("Datenschutz");
    expect(translated("Data Protection")).toBe("Datenschutz");
    expect(translated("not in the catalogue")).toBe("not in the catalogue");
    expect(formatNumber(1208)).toBe("1.208");
    expect(formatNumber(1.25, 1)).toBe("1,3");
    expect(rich("Saved, but it could not be tried: {reason}", { reason: 1208 })).toMatchObject({
      props: { children: ["Gespeichert, ließ sich aber nicht ausprobieren: ", "1.208", ""] },
    });
  });

  test("of a machine's language that is none, as a headless browser may have it, numbers are the ones of all readers of English", async () => {
    page(["en-US@posix", "en-GB"]);
    await startLanguage();
    expect(locale()).toBe("en-GB");
    page(["en-US@posix"]);
    expect(locale()).toBe("en-US");
    expect(formatNumber(1208)).toBe("1,208");
  });
});

test("a name from right to left stands apart from what is beside it", () => {
  expect(t("Review of {name}", { name: "سترة" })).toBe("Review of \u2068سترة\u2069");
  expect(t("Review of {name}", { name: "日本" })).toBe("Review of 日本");
});

test("a name does not turn the sentence round that it stands in", () => {
  expect(t("Review of {name}", { name: "\u202egnp.exe\u2069" })).toBe("Review of gnp.exe");
  expect(t("Review of {name}", { name: "\u2069\u202eسترة" })).toBe("Review of \u2068سترة\u2069");
});

test("a list makes no new rules of plural in each of its rows", () => {
  t("{n} page|{n} pages", { n: 1 });
  const made = jest.spyOn(Intl, "PluralRules");
  expect(t("{n} page|{n} pages", { n: 2 })).toBe("2 pages");
  expect(made).not.toHaveBeenCalled();
  made.mockRestore();
});

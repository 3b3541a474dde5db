import { afterEach, expect, jest, test } from "@jest/globals";
import { crawlEndings } from "@web-tester/contracts/crawl-endings";
import { startLanguage } from "../texts/language.js";
import { endedWords } from "./reasons.js";

const read = async (language: string) => {
  jest.replaceProperty(globalThis, "navigator", { languages: [language] } as unknown as Navigator);
  Object.assign(globalThis, {
    document: { documentElement: { lang: "" } },
    localStorage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
  });
  await startLanguage();
};
afterEach(async () => {
  await read("en");
  jest.restoreAllMocks();
});

test.each(Object.entries(crawlEndings))(
  "a report that ended by “%s” says so in the reader's language",
  async (code, said) => {
    expect(endedWords({ ended: said })).toBe(said);
    await read("de");
    const german = endedWords({ ended: said });
    expect([code, german]).not.toEqual([code, said]);
    expect(german).toMatch(/\.$/);
  },
);

test("what an older version wrote stands as it is, and a complete crawl says nothing", async () => {
  await read("de");
  expect([endedWords({ ended: "It ended long ago." }), endedWords({ ended: null })]).toEqual([
    "It ended long ago.",
    null,
  ]);
});

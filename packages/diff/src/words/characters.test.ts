import { expect, test } from "@jest/globals";
import { compare } from "../compare.js";
import { characterEnd } from "./characters.js";

const charactersOf = (text: string) => [...new Intl.Segmenter("en").segment(text)].map(({ segment }) => segment);

test.each([
  ["decomposed Latin", "e\u0301a\u0327\u0301"],
  ["Hangul in one piece and decomposed", "한국 \u1112\u1161\u11ab\u1100\u116e\u11a8"],
  ["Devanagari and Bengali conjuncts", "क्षि क्‍ष স্ত্রী"],
  ["Tamil, which has none", "க்க"],
  ["Thai and Lao", "กำน้ำ ນໍ້າ ຄຳ"],
  ["Persian with a non-joiner", "می\u200cخواهم"],
  ["narrow kana", "ｶﾞﾊﾟ"],
  ["marks beyond the first plane", "𑄌𑄋𑄴𑄟𑄳"],
  ["emoji, flags and skin tones", "👨‍👩‍👧🇩🇪🇫🇷👍🏽#️⃣"],
])("characters are what is shown as one: %s", (_, text) => {
  const found: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = characterEnd(text, at, text.length);
    found.push(text.slice(at, end));
    at = end;
  }
  expect(found).toEqual(charactersOf(text));
});

test("a syllable of which a part changed is marked as a whole", () => {
  const { hunks } = compare("\u1112\u1161\u11ab", "\u1112\u1161\u11af", { by: "chars" });
  expect(hunks[0]?.lines.map(({ marks }) => marks)).toEqual([[[0, 3]], [[0, 3]]]);
});

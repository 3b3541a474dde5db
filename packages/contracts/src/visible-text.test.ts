import { expect, test } from "@jest/globals";
import { objectSettings } from "./object-settings.js";
import { isVisible, visibleText } from "./visible-text.js";

const unseen = [
  "",
  " ",
  "\u00A0\t",
  "\u200B",
  "\u2060\u200D",
  "\u3164",
  "\u00AD\uFEFF",
  "\u2800",
  "\u{E0020}",
  "\u115F\uFFA0",
];

test.each(unseen)("%j looks empty", (text) => {
  expect(isVisible(text)).toBe(false);
  const { error } = visibleText(5, "Enter a name").safeParse(text);
  expect(error?.issues.map(({ message }) => message)).toEqual(["Enter a name"]);
  // empty lines of a list are dropped, others are refused
  expect(objectSettings.tags.schema.safeParse(["shop", text]).success).toBe(text.trim() === "");
});

test.each(["a", "0", "é", "e\u0301", "\u200Fשלום", "👩‍👩‍👧", "\u00ADx", "—", "한"])("%s can be seen", (text) =>
  expect(visibleText(20, "Enter a name").parse(` ${text} `)).toBe(text.normalize("NFC").trim()),
);

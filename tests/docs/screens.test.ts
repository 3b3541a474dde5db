import { expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { screens } from "../../benches/screens/screens.mjs";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));
const page = readFileSync(join(docs, "screens.md"), "utf8");

/** @returns the pictures that the text does not show, and the pictures that are missing for a screen in one of the themes */
function problemsOf(text: string, pictures: readonly string[], names: readonly string[]): string[] {
  const shown = new Set([...text.matchAll(/\]\(screens\/([\w-]+\.png)\)/g)].map(([, file]) => file ?? ""));
  const wanted = names.flatMap((name) => [`${name}-light-1280.png`, `${name}-dark-1280.png`]);
  return [
    ...pictures.filter((file) => !shown.has(file)).map((file) => `${file} is shown nowhere`),
    ...wanted.filter((file) => !shown.has(file)).map((file) => `${file} is missing`),
  ];
}

test("the page of pictures shows every screen in both themes, and every picture there is", () => {
  const names = screens.map(({ name }) => name);
  expect(problemsOf(page, readdirSync(join(docs, "screens")), names)).toEqual([]);
});

test("a picture that nothing shows and a screen without a picture are found", () => {
  const text = "![Home](screens/home-light-1280.png) ![Home](screens/home-dark-1280.png)";
  const pictures = ["home-light-1280.png", "home-dark-1280.png", "home-dark-390.png"];
  expect(problemsOf(text, pictures, ["home", "new"])).toEqual([
    "home-dark-390.png is shown nowhere",
    "new-light-1280.png is missing",
    "new-dark-1280.png is missing",
  ]);
});

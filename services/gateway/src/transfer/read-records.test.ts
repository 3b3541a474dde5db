import { expect, test } from "@jest/globals";
import { readRecords } from "./read-records.js";

async function reasonOf(text: string, chunkChars = text.length): Promise<string> {
  async function* chunks() {
    for (let at = 0; at < text.length; at += chunkChars) yield Buffer.from(text.slice(at, at + chunkChars));
  }
  try {
    for await (const _ of readRecords(chunks()));
    return "none";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
const records = Array.from({ length: 20 }, (_, index) => `{"id": ${index}}`).join(",\n");
const right = `{\n"testObjects": [\n${records}\n]}`;

test("a file that is right has no fault, whatever pieces it comes in", async () => {
  for (const chunkChars of [1, 7, 1_000]) expect(await reasonOf(right, chunkChars)).toBe("none");
});

test.each([
  ["a list in place of the file", "[]", "it must begin with {", 1],
  ["nothing in place of the file", "null", "it must begin with {", 1],
  ["a word in its place", "x", 'the character "x" is not expected', 1],
  ["a file that ends too early", "{", "it ends before it is complete", 1],
  ["a list that is there twice", `{"testObjects":[],\n"testObjects":[]}`, "it has two lists named testObjects", 2],
  ["two files in one", right + right, "its parts do not fit together", 23],
  ["a comma too many", right.replace('{"id": 9}', '{"id": 9},'), "its parts do not fit together", 12],
  ["a word that JSON has not", right.replace('{"id": 9}', '{"id": NaN}'), 'the character "N" is not expected', 12],
  ["a list that is none", `{\n"testObjects": {}}`, "testObjects must be a list", 2],
])("%s is refused once, with its place", async (_what, text, why, line) => {
  for (const chunkChars of [5, 1_000]) {
    const reason = await reasonOf(text, chunkChars);
    expect(reason).toMatch(/^Invalid JSON file: [^(]* \(near byte \d+, line \d+\)\. Nothing was imported\.$/);
    expect(reason).toContain(why);
    expect(reason).toContain(`line ${line})`);
    expect(reason.match(/Invalid JSON file/g)).toHaveLength(1);
  }
});

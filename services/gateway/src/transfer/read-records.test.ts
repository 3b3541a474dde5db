import { expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { readRecords } from "./read-records.js";

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

test.each([
  ["[]", "it must begin with {"],
  ["null", "it must begin with {"],
  ['{"testObjects":1}', "testObjects must be a list"],
  ['{"testObjects":[],"testObjects":[]}', "it has two lists named testObjects"],
  ["{", "it ends before it is complete"],
  ["{]", "its parts do not fit together"],
  ["x", 'the character "x" is not expected'],
])("%s is refused with one sentence", async (file, why) => {
  const read = Array.fromAsync(readRecords(bytesOf(file)));
  await expect(read).rejects.toBeInstanceOf(AppError);
  await expect(read).rejects.toThrow(
    new RegExp(`^Invalid JSON file: ${RegExp.escape(why)} \\(near byte \\d+, line 1\\)\\. Nothing was imported\\.$`),
  );
});

test("control: what a file holds is read", async () => {
  const [record] = await Array.fromAsync(readRecords(bytesOf('{"testObjects":[{"id":1}]}')));
  expect(record).toEqual({ list: "testObjects", record: 1, line: 1, value: { id: 1 } });
});

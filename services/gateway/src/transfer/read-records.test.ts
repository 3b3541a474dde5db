import { expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { type ReadRecord, readRecords } from "./read-records.js";

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function allOf(text: string): Promise<ReadRecord[]> {
  const records: ReadRecord[] = [];
  for await (const record of readRecords(bytesOf(text))) records.push(record);
  return records;
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
  const fault = await allOf(file).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(AppError);
  expect(String(fault).replace(/byte \d+/, "byte n")).toBe(
    `AppError: Invalid JSON file: ${why} (near byte n, line 1). Nothing was imported.`,
  );
});

test("control: what a file holds is read", async () => {
  const [record] = await allOf('{"testObjects":[{"id":1}]}');
  expect(record).toEqual({ list: "testObjects", record: 1, line: 1, value: { id: 1 } });
});

import { expect, test } from "@jest/globals";
import { countRecords, invalidFile } from "./count-records.js";

async function* pieces(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

test.each([
  ['{"testObjects":[]}', { objects: 0, instances: 0, snapshots: 0 }],
  [
    '{"a":{"testObjects":[1]},"testSnapshots":[{"html":"{[\\"","x":[1,2]},{}],"testObjects":[{"id":1}],"testInstances":[1,"x",null]}',
    { objects: 1, instances: 3, snapshots: 2 },
  ],
  ['\ufeff{"testObjects": [\n{"tags": []}, {}]}\n', { objects: 2, instances: 0, snapshots: 0 }],
])("counts %s", async (text, counts) => {
  expect(await countRecords(pieces(text))).toEqual(counts);
});

test.each([
  "",
  "x",
  "[]",
  "{}",
  '{"testObjects":{}}',
  '{"testObjects":[1,2',
  '{"testObjects":[]} x',
  '{"testObjects":[,]}',
])("refuses %j", async (text) => {
  await expect(countRecords(pieces(text))).rejects.toThrow(invalidFile);
});

test("says how far it is", async () => {
  const seen: number[] = [];
  await countRecords(pieces('{"testObjects":[]}', 10), (bytes) => seen.push(bytes));
  expect(seen).toEqual([10, 18]);
});

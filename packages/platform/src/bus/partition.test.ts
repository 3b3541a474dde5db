import { partitions } from "@web-tester/contracts/messages";
import { expect, test } from "@jest/globals";
import { freePartition, hashOf, partitionOf } from "./partition.js";

// from the authors' list of test vectors, http://www.isthe.com/chongo/src/fnv/test_fnv.c
test.each([
  ["", 0x811c9dc5],
  ["a", 0xe40c292c],
  ["foobar", 0xbf9cf968],
])("hashes %j as FNV-1a does", (text, hash) => {
  expect(hashOf(text)).toBe(hash);
});

test("a host is always in the same partition, and hosts spread over all of them", () => {
  const hosts = Array.from({ length: 2_000 }, (_, index) => `host-${index}.example:8080`);
  expect(hosts.map(partitionOf)).toEqual(hosts.map(partitionOf));
  expect(new Set(hosts.map(partitionOf)).size).toBe(partitions);
});

test("its own partition is taken while no other is less busy", () => {
  expect(freePartition(7, [])).toBe(7);
  expect(freePartition(7, [8, 9, 63])).toBe(7);
  expect(
    freePartition(
      7,
      Array.from({ length: partitions }, (_, index) => index),
    ),
  ).toBe(7);
});

test("as many runs as there are partitions have one each, whatever their hosts", () => {
  const busy: number[] = [];
  for (let run = 0; run < partitions; run++) busy.push(freePartition(run % 5, busy));
  expect(new Set(busy).size).toBe(partitions);
  busy.push(freePartition(3, busy));
  expect(busy.filter((partition) => partition === 3)).toHaveLength(2);
});

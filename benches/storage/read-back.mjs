// @ts-check
/**
 * Reads stored pages back and verifies them, in several rounds, and prints MB of content per CPU second of this process
 * (all its threads), a list of rounds for each kind. Its arguments: the object store's folder, and a JSON file with
 * `Readings`. The first rounds, in which V8 compiles this code, are left out, as services live long.
 * @typedef {Record<string, string[]>} Readings hashes (hex) in the order of reading, by kind
 */
import { readFile } from "node:fs/promises";
import { openObjectStore } from "@web-tester/platform/object-store/open-object-store";

const warmingRounds = 6;
const rounds = 12;

const [, , folder = "", list = ""] = process.argv;
/** @type {Readings} */
const readings = JSON.parse(await readFile(list, "utf8"));
/** @type {Record<string, number[]>} */
const rates = {};
for (let round = 0; round < rounds; round++)
  for (const [kind, hashes] of Object.entries(readings)) {
    // a new store has nothing cached
    const store = openObjectStore(`file:${folder}`);
    const keys = hashes.map((hash) => Buffer.from(hash, "hex"));
    let bytes = 0;
    const before = process.cpuUsage();
    for (const key of keys) bytes += (await store.read(key)).length;
    const { user, system } = process.cpuUsage(before);
    if (round >= warmingRounds) (rates[kind] ??= []).push(bytes / (user + system));
    store.close();
  }
console.log(JSON.stringify(rates));

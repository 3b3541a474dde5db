import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type KeptAnswer, KeptFiles } from "./kept-files.js";

const url = "http://a.test/s.css";
const answerAt = (ms: number, hash = ""): KeptAnswer => ({
  ...{ ms, hash, contentType: "text/css", extension: "css", charset: "utf-8", isPage: false, isTooLong: false },
});

test("the nearest in time is found, whatever the order in which they came", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30), { maxLength: 20 }), fc.nat(35), (times, ms) => {
      const kept = new KeptFiles();
      times.forEach((at, index) => kept.add(`${url}#x`, [], answerAt(at, String(index))));
      const distance = Math.min(...times.map((at) => Math.abs(at - ms)));
      const first = times.includes(ms - distance) ? ms - distance : ms + distance;
      expect(kept.nearest(url, ms)?.hash).toBe(times.length === 0 ? undefined : String(times.indexOf(first)));
    }),
  );
});

test("an address with as many answers as there can be costs each look no more than a few", () => {
  const kept = new KeptFiles();
  let reads = 0;
  for (let at = 0; at < 20_000; at++)
    kept.add(url, [], {
      ...answerAt(0, String(at)),
      get ms() {
        reads += 1;
        return at * 1_000;
      },
    });
  reads = 0;
  expect(kept.nearest(url, 7_000_400)?.hash).toBe("7000");
  expect(reads).toBeLessThan(100);
});

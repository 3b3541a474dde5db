// @ts-check
/** Measures one engine in its own process: `measure.mjs <engine> corpus <folder>` or `… hostile <name> <bytes>`; prints JSON. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeAs } from "@web-tester/html/charset/decode-as";
import { sniffCharset } from "@web-tester/html/charset/decode";
import { engines } from "./engines.mjs";
import { hostilePages } from "./hostile.mjs";

const leastCpuSeconds = 1.5;

/** @param {() => void} work @returns {number} CPU seconds */
function cpuOf(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Measures megabytes of HTML per CPU second, after a warm-up. */
/** @param {(html: string) => string[]} engine @param {string} folder */
async function corpus(engine, folder) {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.html?$/i.test(name)).toSorted();
  const files = await Promise.all(names.map((name) => readFile(join(folder, name))));
  const pages = files.map((bytes) => decodeAs(bytes, sniffCharset(bytes, null).charset));
  const megabytes = files.reduce((sum, bytes) => sum + bytes.length, 0) / 1e6;
  const pass = () => pages.reduce((sum, html) => sum + engine(html).length, 0);
  pass();
  let cpuSeconds = 0;
  let passes = 0;
  for (; cpuSeconds < leastCpuSeconds; passes += 1) cpuSeconds += cpuOf(pass);
  return { speed: (megabytes * passes) / cpuSeconds };
}

/** Measures CPU seconds for one page, the minimum of five rounds. */
/** @param {(html: string) => string[]} engine @param {string} name @param {number} bytes */
function hostile(engine, name, bytes) {
  const html = hostilePages.find((page) => page.name === name)?.make(bytes) ?? "";
  let seconds = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round += 1)
    seconds = Math.min(
      seconds,
      cpuOf(() => engine(html)),
    );
  return { seconds };
}

const [, , engineName = "", what, first = "", second = ""] = process.argv;
const engine = engines[/** @type {keyof typeof engines} */ (engineName)];
console.log(JSON.stringify(what === "corpus" ? await corpus(engine, first) : hostile(engine, first, Number(second))));

// @ts-check
// Benches of comparing: real sites against GNU diff, git and npm engines, worst cases, through the running product, and in a browser.
import { readWords } from "../lib/read-words.mjs";

const parts = {
  corpus: () => import("./corpus.mjs"),
  worst: () => import("./worst-cases.mjs"),
  service: () => import("./service.mjs"),
  browser: () => import("./browser.mjs"),
};

/** @param {string | undefined} name @returns {name is keyof typeof parts} */
const isPart = (name) => name !== undefined && Object.hasOwn(parts, name);

const usage = `npm run bench -- diff [${Object.keys(parts).join(" | ")} [argument]]

Without a part all of them, one after the other. Fails when a result is wrong; a figure that misses its aim is shown as missed.`;

async function main() {
  const [name, ...rest] = readWords(usage, ([first]) => first === undefined || isPart(first));
  for (const part of isPart(name) ? [name] : /** @type {(keyof typeof parts)[]} */ (Object.keys(parts))) {
    console.log(`\n── ${part} ──`);
    const { run } = await parts[part]();
    if (!(await run(rest))) process.exitCode = 1;
  }
}

await main();

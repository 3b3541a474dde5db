// @ts-check
// Comparing: real sites beside GNU diff, git and npm engines, worst cases, through the running product, and in a browser.

const parts = {
  corpus: () => import("./corpus.mjs"),
  worst: () => import("./worst-cases.mjs"),
  service: () => import("./service.mjs"),
  browser: () => import("./browser.mjs"),
};

/** @param {string | undefined} name @returns {name is keyof typeof parts} */
const isPart = (name) => name !== undefined && Object.hasOwn(parts, name);

/**
 * Usage: `npm run bench -- diff [part [argument]]`; without a part all of them, one after the other.
 * Fails when a result is wrong; a figure that misses its aim is shown as missed.
 */
async function main() {
  const [name, ...rest] = process.argv.slice(2);
  if (name !== undefined && !isPart(name)) {
    console.error(`There is no part "${name}"; there are: ${Object.keys(parts).join(", ")}`);
    process.exitCode = 1;
    return;
  }
  for (const part of isPart(name) ? [name] : /** @type {(keyof typeof parts)[]} */ (Object.keys(parts))) {
    console.log(`\n── ${part} ──`);
    const { run } = await parts[part]();
    if (!(await run(rest))) process.exitCode = 1;
  }
}

await main();

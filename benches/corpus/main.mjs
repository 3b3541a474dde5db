// @ts-check
/** Lays out the documentation corpora in the cache and prints what is there. */
import { corpusPackages } from "./packages.mjs";
import { corpusFolder, layOutCorpus } from "./lay-out.mjs";

async function main() {
  console.log(`Corpora in ${corpusFolder()}`);
  for (const site of new Set(corpusPackages.map((row) => row.site))) {
    console.log(`\n${site}`);
    for (const { version, package: name, pages, countedIn, contents, root } of (
      await layOutCorpus(site, { log: console.log })
    ).values()) {
      const asCounted =
        contents.pages === pages ? "as in the table" : `the table has ${pages}, counted in ${countedIn}`;
      console.log(
        `  ${version}: ${contents.pages} HTML pages (${asCounted}), ${(contents.bytes / 1e6).toFixed(1)} MB, ${name} ${contents.release}\n      ${root}`,
      );
    }
  }
}

await main().catch((/** @type {unknown} */ error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

// @ts-check
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { corpusFolder } from "../corpus/lay-out.mjs";
import { runCommand } from "../corpus/run-command.mjs";

const version = "3.18.1";

/**
 * Makes sure that `@crawlee/http` (or `@crawlee/playwright`, without a browser) is in the cache, and stays there: it has a
 * hundred packages that the product does not use.
 * @param {(line: string) => void} log
 * @param {"http" | "playwright"} [kind]
 * @returns {Promise<{ folder: string, version: string }>}
 * @throws where npm cannot install it
 */
export async function installCrawlee(log, kind = "http") {
  const cache = dirname(corpusFolder());
  const folder = join(cache, kind === "http" ? `crawlee-${version}` : `crawlee-${kind}-${version}`);
  if (!existsSync(join(folder, "node_modules", "@crawlee", kind))) {
    log(`Installing @crawlee/${kind} ${version} into ${folder} …`);
    await mkdir(cache, { recursive: true });
    const making = await mkdtemp(join(cache, ".making-"));
    try {
      await writeFile(join(making, "package.json"), JSON.stringify({ private: true }));
      const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
      await runCommand(
        "npm",
        ["install", ...options, `@crawlee/${kind}@${version}`, ...(kind === "playwright" ? ["playwright"] : [])],
        { timeoutMs: 300_000, cwd: making },
      );
      await rm(folder, { recursive: true, force: true });
      await rename(making, folder);
    } finally {
      await rm(making, { recursive: true, force: true });
    }
  }
  return { folder, version };
}

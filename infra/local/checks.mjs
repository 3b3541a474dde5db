// @ts-check
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bootstrap/project.mjs";

/**
 * The automatic checks of the code; each passes or fails. Types are compiled first, because the lint and the other compilations read the
 * declarations that this writes.
 * @type {{ name: string, bin: [pkg: string, bin: string], args: string[] }[]}
 */
const checks = [
  { name: "types", bin: ["@typescript/native", "tsc"], args: ["-b"] },
  { name: "types of tests and tools", bin: ["@typescript/native", "tsc"], args: ["-p", "tsconfig.tests.json"] },
  { name: "types of the web application", bin: ["@typescript/native", "tsc"], args: ["-p", "web/tsconfig.json"] },
  { name: "format", bin: ["oxfmt", "oxfmt"], args: ["--check", "."] },
  { name: "lint and arrows", bin: ["oxlint", "oxlint"], args: ["."] },
  { name: "dead code", bin: ["knip", "knip"], args: ["--no-progress"] },
];

/** Only a check that hangs takes this long: the lint takes 11 s on a free machine, 38 s beside all tests, and more if other programs run too. */
const checkWithinMs = 900_000;

/**
 * Runs all checks, one after the other, and shows the output of those that fail.
 * @param {{ say: (line: string) => void, signal: AbortSignal }} around
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runChecks({ say, signal }) {
  const count = { passed: 0, failed: 0 };
  for (const check of checks) {
    const startedAt = performance.now();
    const { ok, output } = await run(check, signal);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    if (ok) count.passed += 1;
    else count.failed += 1;
    say(ok ? `✓ ${check.name} (${seconds} s)` : `✗ ${check.name} (${seconds} s)\n\n${output}\n`);
  }
  return count;
}

/** @param {(typeof checks)[number]} check @param {AbortSignal} signal @returns {Promise<{ ok: boolean, output: string }>} */
function run({ bin: [pkg, bin], args }, signal) {
  const folder = join(root, "node_modules", pkg);
  const { bin: bins } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const script = join(folder, typeof bins === "string" ? bins : bins[bin]);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: root,
      signal,
      timeout: checkWithinMs,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.once("error", (error) => resolve({ ok: false, output: `${output}${error.message}` }));
    child.once("close", (code, killedBy) =>
      resolve({ ok: code === 0, output: `${output.trim()}${killedBy === null ? "" : `\nkilled by ${killedBy}`}` }),
    );
  });
}

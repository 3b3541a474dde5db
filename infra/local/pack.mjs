// @ts-check
/**
 * Command `npm run pack`: packs the command line client into a package of one file without dependencies,
 * `build/web-tester-cli-<version>.tgz`, for `npx`. Needs Node 24.
 */
import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { root } from "./bootstrap/project.mjs";
import { ensureBuilt } from "./ensure-built.mjs";

await ensureBuilt((line) => process.stdout.write(`${line}\n`));
const folder = join(root, "build", "cli");
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const bundle = await rolldown({ input: join(root, "packages/cli/dist/main.js"), platform: "node" });
await bundle.write({ file: join(folder, "main.js"), format: "esm", minify: true, codeSplitting: false });
await bundle.close();
await chmod(join(folder, "main.js"), 0o755);
/** @type {{ version: string, license: string }} */
const { version, license } = JSON.parse(await readFile(join(root, "packages/cli/package.json"), "utf8"));
const manifest = {
  ...{ name: "web-tester-cli", version, license, type: "module" },
  description: "Website monitoring and snapshot testing on the command line",
  ...{ bin: { "web-tester": "main.js" }, files: ["main.js"], engines: { node: ">=22" } },
};
await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const { stdout } = await promisify(execFile)(npm, ["pack", folder, "--pack-destination", join(root, "build")], {
  cwd: root,
});
process.stdout.write(`${join(root, "build", stdout.trim().split("\n").at(-1) ?? "")}\n`);

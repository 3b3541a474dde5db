import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import type { ChromiumProgram } from "./browser-user.js";
import { packedChromium } from "./packed-chromium.js";

/**
 * Names of programs to look for on the path, the cheapest first: a headless shell needs 0.6 of the processor time of a
 * full Chromium.
 */
const names = [
  "chrome-headless-shell",
  "chromium-headless-shell",
  "headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
];
const elsewhere = [
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/**
 * Finds the program that `CHROMIUM_PATH` names; else one that is installed; else the one from the npm package (Linux on
 * x64). Nothing is ever downloaded.
 * @param named value of CHROMIUM_PATH
 * @throws AppError browser_unavailable with advice on what to do
 */
export async function findChromium(named: string | undefined): Promise<ChromiumProgram> {
  if (named !== undefined && named !== "") {
    if (await isProgram(named)) return { executablePath: named, env: {} };
    throw new AppError(
      "browser_unavailable",
      `There is no browser: CHROMIUM_PATH names ${named}, which is no program that can be started. Correct it, or unset it to have one looked for.`,
    );
  }
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const candidates = [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...elsewhere];
  for (const executablePath of candidates) if (await isProgram(executablePath)) return { executablePath, env: {} };
  return packedChromium();
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

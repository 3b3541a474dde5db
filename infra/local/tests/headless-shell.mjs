// @ts-check
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The browser of the tests: the headless shell that npm brought, as the product's image has one. A whole Chromium, which a machine may have
 * installed, opens a window with a toolbar for every context and needs five times the processor time. A `CHROMIUM_PATH` that is set is respected.
 * @param {string} folder for a program that starts it with its own libraries
 * @returns {Promise<Record<string, string>>} environment for the tests; empty where npm brings none, and one that is installed is looked for. Who needs
 *   a whole browser knows by `TEST_HEADLESS_SHELL` that this one was not chosen by a person
 */
export async function headlessShell(folder) {
  if (process.env["CHROMIUM_PATH"] !== undefined) return {};
  const { packedChromium } = await import("@web-tester/loader/browser/packed-chromium");
  const found = await packedChromium().catch(() => undefined);
  if (found === undefined) return {};
  const place = join(folder, "browser");
  const path = join(place, "chrome-headless-shell");
  const settings = Object.entries(found.env).map(([name, value]) => `${name}=${quoted(value)} `);
  mkdirSync(place);
  writeFileSync(path, `#!/bin/sh\n${settings.join("")}exec ${quoted(found.executablePath)} "$@"\n`);
  // it is started as another user if we are root
  for (const each of [place, path]) chmodSync(each, 0o755);
  return { CHROMIUM_PATH: path, TEST_HEADLESS_SHELL: "1" };
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

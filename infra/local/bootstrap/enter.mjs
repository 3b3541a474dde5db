// @ts-check
import { ensureInstalled, SetupError } from "./install.mjs";
import { runUnderNode24 } from "./node24.mjs";

/**
 * Starts every command: needs Node 20 or newer and npm, installs the packages if needed, then runs the script under Node 24.
 * @param {string} script relative to the checkout
 * @param {string[]} args
 * @returns {Promise<boolean>} false: setting up failed; the reason has been shown and the exit code set
 */
export async function enter(script, args) {
  if (Number(process.versions.node.split(".")[0]) < 20) {
    process.stderr.write(`Node.js 20 or newer is needed, this is ${process.versions.node}: install a newer one.\n`);
    process.exitCode = 1;
    return false;
  }
  try {
    await ensureInstalled();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
    return false;
  }
  await runUnderNode24(script, args);
  return true;
}

// @ts-check
import { randomBytes } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, StartError } from "./start-error.mjs";

/** @typedef {{ secretKey: string, postgresPassword: string, natsPassword: string }} Secrets each 64 hexadecimal digits */

/**
 * The generated secrets of a data directory, made on the first start. They reach the disk before they are used: losing the key
 * would lose every stored site password.
 * @param {string} path file, kept with mode 0600
 * @returns {Promise<Secrets>}
 */
export async function loadSecrets(path) {
  const kept = await readFile(path, "utf8").catch((/** @type {unknown} */ error) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new StartError(`The secrets file ${path} cannot be read: give this user the right to read it.`, {
      cause: error,
    });
  });
  if (kept !== undefined) return parse(path, kept);
  const made = { secretKey: secret(), postgresPassword: secret(), natsPassword: secret() };
  const file = await open(`${path}.new`, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(made, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
  return made;
}

/** @param {string} path @param {string} text @returns {Secrets} */
function parse(path, text) {
  try {
    const { secretKey, postgresPassword, natsPassword } = JSON.parse(text);
    if ([secretKey, postgresPassword, natsPassword].every((value) => typeof value === "string" && value !== "")) {
      return { secretKey, postgresPassword, natsPassword };
    }
  } catch {
    // said below
  }
  throw new StartError(
    `The secrets file ${path} is damaged: restore it from a backup, or start with an empty DATA_DIR.`,
  );
}

const secret = () => randomBytes(32).toString("hex");

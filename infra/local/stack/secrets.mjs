// @ts-check
import { randomBytes } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { setAside } from "./cluster.mjs";
import { codeOf, StartError, wordsOf } from "./start-error.mjs";

/** Stands in place of a key that is not kept here. Earlier versions of the product reject it with a message if no SECRET_KEY is set. */
const givenOutside = "set by SECRET_KEY";

/**
 * @typedef {object} Secrets each 64 hexadecimal digits
 * @property {string | undefined} secretKey undefined: it was given by SECRET_KEY, and is not kept
 * @property {string} postgresPassword
 * @property {string} natsPassword
 * @property {boolean} arePending the existing database still has another password
 */

/**
 * Loads the generated secrets of a data directory, which are made on the first start. They are synced to disk before they are used: losing
 * the key would lose every stored site password. For existing data no other key is ever generated.
 * @param {string} path file, kept with mode 0600
 * @param {{ hasData: boolean, isKeyGiven: boolean, log: (line: string) => void }} around `hasData`: the data directory has a database
 * @returns {Promise<Secrets>}
 * @throws {StartError}
 */
export async function loadSecrets(path, { hasData, isKeyGiven, log }) {
  const kept = await readSecrets(path);
  if (typeof kept === "object") return kept;
  if ((hasData || kept === "damaged") && !isKeyGiven)
    throw new StartError(
      `The secrets file ${path} is ${kept}, and it has the key of the stored passwords of sites: put it back from a copy. If there is none, set SECRET_KEY to a new key (openssl rand -hex 32) and keep it set; these passwords have to be entered again then.`,
    );
  const aside = kept === "damaged" ? await setAside(path) : undefined;
  if (hasData)
    log(
      `New passwords of the embedded parts are made in ${path}${aside === undefined ? "" : ` (the damaged file is kept in ${aside})`}`,
    );
  const made = {
    secretKey: isKeyGiven ? undefined : secret(),
    postgresPassword: secret(),
    natsPassword: secret(),
    arePending: hasData,
  };
  await keep(path, made);
  return made;
}

/**
 * Records that the database has the new password.
 * @param {string} path
 * @param {Secrets} secrets
 */
export async function settleSecrets(path, secrets) {
  if (secrets.arePending) await keep(path, { ...secrets, arePending: false });
}

/** @param {string} path @param {Secrets} secrets */
async function keep(path, { secretKey = givenOutside, arePending, ...passwords }) {
  const text = JSON.stringify({ secretKey, ...passwords, ...(arePending ? { arePending } : {}) }, undefined, 2);
  const file = await open(`${path}.new`, "w", 0o600);
  try {
    await file.writeFile(`${text}\n`);
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
}

/**
 * Reads the stored secrets; changes nothing.
 * @param {string} path
 * @returns {Promise<Secrets | "missing" | "damaged">}
 * @throws {StartError} they cannot be read
 */
export async function readSecrets(path) {
  try {
    const { secretKey, postgresPassword, natsPassword, arePending } = JSON.parse(await readFile(path, "utf8"));
    if (![secretKey, postgresPassword, natsPassword].every((value) => typeof value === "string" && value !== ""))
      return "damaged";
    return {
      secretKey: secretKey === givenOutside ? undefined : secretKey,
      postgresPassword,
      natsPassword,
      arePending: arePending === true,
    };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return "damaged";
    if (codeOf(error) === "ENOENT") return "missing";
    throw new StartError(
      `The secrets file ${path} cannot be read (${wordsOf(error)}): give this user the right to read it.`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Returns the key for the services.
 * @param {string} path of the secrets file, for messages
 * @param {{ given: string | undefined, kept: string | undefined }} keys
 * @returns {string}
 * @throws {StartError} the key was given at the first start, and is not now
 */
export function keyOf(path, { given, kept }) {
  const key = given ?? kept;
  if (key !== undefined) return key;
  throw new StartError(
    `SECRET_KEY is not set, and ${path} has no key, because it was set at the first start: set it to the same key again, or the stored passwords of sites cannot be read.`,
  );
}

const secret = () => randomBytes(32).toString("hex");

// @ts-check
import { readSettings } from "./settings.mjs";

/** Placeholders for settings that are filled in later, so that they are not reported as missing. */
const filledIn = {
  DATABASE_URL: "postgres://127.0.0.1/embedded",
  NATS_URL: "nats://127.0.0.1",
  STORAGE_URL: "file:/embedded",
};

/**
 * Reads the settings, and has the services' own reader check them before anything starts: otherwise a service would end because of a wrong
 * one, again and again, when database and bus already run. Secrets in files (`API_TOKEN_FILE`) are read here as services read them. Needs
 * the build.
 * @param {import("./settings.mjs").Env} given
 * @returns {Promise<{ env: import("./settings.mjs").Env, settings: import("./settings.mjs").Settings }>} `env`: including the secrets read
 *   from files
 * @throws {import("./start-error.mjs").StartError} naming every faulty setting
 */
export async function checkedSettings(given) {
  const { loadConfig } = await import("@web-tester/platform/config/config");
  const { withSecretFiles } = await import("@web-tester/platform/secrets/secret-files");
  let env = given;
  try {
    env = withSecretFiles(given);
    const named = Object.entries(env).filter(([, value]) => (value ?? "").trim() !== "");
    loadConfig({ ...filledIn, ...Object.fromEntries(named), MODE: "embedded" });
  } catch (error) {
    return { env, settings: readSettings(env, faultsOf(error)) };
  }
  return { env, settings: readSettings(env) };
}

/** @param {unknown} error @returns {import("./settings.mjs").Fault[]} */
function faultsOf(error) {
  if (!(error instanceof Error)) throw error;
  if ("details" in error && Array.isArray(error.details)) return error.details;
  return [{ variable: "", message: error.message.replace(/\.$/, "") }];
}

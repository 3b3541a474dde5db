import { readFileSync } from "node:fs";
import { AppError } from "@web-tester/contracts/errors";
import { configVariables } from "../config/config.js";

/**
 * Reads secrets from files, as container engines provide them: `SECRET_KEY_FILE=/run/secrets/key` stands for `SECRET_KEY`. If the variable
 * itself is set, it wins.
 * @returns the environment with those variables filled in
 * @throws AppError invalid_input naming a file that cannot be read
 */
export function withSecretFiles(env: Record<string, string | undefined>): Record<string, string | undefined> {
  const filled = { ...env };
  for (const { name, secret } of configVariables) {
    const path = env[`${name}_FILE`];
    if (!secret || path === undefined || path === "" || (env[name] ?? "") !== "") continue;
    try {
      filled[name] = readFileSync(path, "utf8").trim();
    } catch (cause) {
      throw new AppError(
        "invalid_input",
        `${name}_FILE names a file that cannot be read: write its path, or set ${name}.`,
        {
          cause,
        },
      );
    }
  }
  return filled;
}

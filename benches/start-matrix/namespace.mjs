// @ts-check
import { join } from "node:path";

/**
 * Returns a way in its own user namespace with all users, so that something can be forbidden there and nowhere else.
 * @param {import("./product.mjs").Way} way
 * @param {string} first shell command that is run there first; when it fails, nothing else is run
 * @returns {import("./product.mjs").Way}
 */
export function withAllUsers(way, first) {
  return (npm, env) => {
    const { command, args, options } = way(npm, env);
    return {
      command: process.execPath,
      args: [join(import.meta.dirname, "all-users-main.mjs"), first, command, ...args],
      options,
    };
  };
}

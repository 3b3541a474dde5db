// @ts-check
import { join } from "node:path";

/**
 * A way in a user namespace of its own that knows all users, so that something can be forbidden there and nowhere else.
 * @param {import("./product.mjs").Way} way
 * @param {string} first shell command that is run there before; when it fails, nothing is run
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

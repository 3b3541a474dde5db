// @ts-check
/**
 * Preloaded into a program (`node --import`): kills it, like a power cut, at the n-th time that it is about to change a file below the
 * folder `KILL_BELOW` (`KILL_AT`, from 1).
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const below = process.env["KILL_BELOW"] ?? "/nowhere";
const at = Number(process.env["KILL_AT"] ?? "Infinity");
let changes = 0;

/** @param {Record<string, any>} place @param {string} name */
function count(place, name) {
  const original = place[name];
  place[name] = /** @type {(...asked: any[]) => unknown} */ (
    (...asked) => {
      if (String(asked[0]).startsWith(below) && (name !== "open" || asked[1] !== "r") && ++changes === at)
        process.kill(process.pid, "SIGKILL");
      return original(...asked);
    }
  );
}

for (const name of ["writeFile", "rename", "unlink", "writeFileSync", "renameSync", "mkdir", "createWriteStream"])
  count(/** @type {any} */ (fs), name);
for (const name of ["writeFile", "rename", "unlink", "rm", "mkdir", "open"])
  count(/** @type {any} */ (fs.promises), name);
syncBuiltinESMExports();

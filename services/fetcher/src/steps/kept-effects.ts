import type { Database } from "@web-tester/platform/database/database";
import { keepScriptEffect, selectScriptEffects } from "@web-tester/records/script-effects/script-effects";
import type { KeptEffects } from "./script-effects.js";

/**
 * Keeps in the database what fetchers found out about scripts. @param onError called with an error of reading or writing;
 * what was lost is found out again
 */
export function createKeptEffects(db: Database, onError: (error: unknown) => void): KeptEffects {
  return {
    find: (objectId, scripts, whats, maxAgeMs) =>
      selectScriptEffects(db, objectId, { scripts, whats, maxAgeMs }).catch((error: unknown) => {
        onError(error);
        return [];
      }),
    keep: (objectId, tried, maxAgeMs) => keepScriptEffect(db, objectId, tried, maxAgeMs).catch(onError),
  };
}

import { settingNames, settingOf } from "@web-tester/contracts/object-settings";

/** The settings of a test object that a crawl, and the reading of sitemaps, obeys from its beginning to its end. */
const settings = settingNames.filter((name) => settingOf(name).heldByRun === true);

/** What is written into `run.rules` when a run is started. @param object alias of `test_object` */
export function rulesNow(object: string): string {
  return `jsonb_build_object(${settings.map((name) => `'${name}', ${object}.${name}`).join(", ")})`;
}

/**
 * A test object's row as a run sees it: with the settings that it began with, and everything else (credentials, the pause
 * between requests) as it is now. A run without rules, made by an earlier version, sees all as it is now.
 */
export function objectOfRun(run: string, object: string): string {
  return `jsonb_populate_record(${object}, coalesce(${run}.rules, '{}'))`;
}

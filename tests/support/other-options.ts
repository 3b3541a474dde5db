import { settingNames, settingOf } from "@web-tester/contracts/object-settings";
import type { Setting } from "@web-tester/contracts/setting-kinds";

/** Values for every option of an object that differ from the defaults. New options are included as soon as the schema has them. */
export const options = (siteUrl: string): Record<string, unknown> => ({
  name: "All options",
  ...Object.fromEntries(settingNames.map((name) => [name, another(settingOf(name), siteUrl)])),
});

/** A valid value of a setting that is not its default. */
function another(
  { control, initial, min = 0, max = 1, choices = [], schema }: Setting<unknown>,
  siteUrl: string,
): unknown {
  switch (control) {
    case "switch":
      return initial !== true;
    case "number":
      return initial === min ? max : min;
    case "limit":
      return max;
    case "lines":
      return [
        [`${siteUrl}sitemap.xml`, `${siteUrl}more/`],
        ["/private/*", "/a b"],
        ["/shop/ 20"],
        ["/news/ 3 days"],
      ].find((lines) => schema.safeParse(lines).success);
    case "select":
    case "segments":
      return choices.findLast(({ value }) => value !== initial)?.value;
    case "text":
      return ["X-Key", "de-DE", "Europe/Berlin", "800x600"].find((text) => schema.safeParse(text).success);
  }
}

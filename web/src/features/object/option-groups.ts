import { initialSettings, settingOf } from "@web-tester/contracts/object-settings";
import type { SettingGroup } from "@web-tester/contracts/setting-kinds";
import { type Label, t, translated } from "../../texts/text.js";
import { type OptionName, optionNames, type Options } from "./options.js";

/** A part of the options panel: a sentence about it, and the settings in it. */
export interface OptionGroup {
  readonly key: Exclude<SettingGroup, "apart"> | "login";
  readonly title: Label;
  readonly help: Label;
  /** Words that people may search for, but no setting of the group contains. */
  readonly also?: Label;
}

/** The groups in the order of use. */
export const optionGroups: readonly OptionGroup[] = [
  { key: "exclude", title: "Leave out", help: "Pages that a crawl does not visit, by their paths." },
  { key: "crawl", title: "How far a crawl goes", help: "Scope, limits and politeness of a crawl.", also: "robots.txt" },
  {
    key: "auth",
    title: "Fetch authentication",
    help: "Name and password, a token or a header that the site asks for.",
    also: "Directory protection",
  },
  {
    key: "login",
    title: "Sign in",
    help: "For pages that only members see: steps that a browser takes once in each run.",
  },
  {
    key: "load",
    title: "Load pages",
    help: "As served or in a browser, and when a page is ready to be kept.",
    also: "JavaScript",
  },
  {
    key: "visit",
    title: "Visit pages as",
    help: "Headers, cookies, language, time zone, window, and banners to click away.",
  },
  {
    key: "assets",
    title: "Files of pages",
    help: "Which pictures, styles, fonts and scripts are kept with a snapshot.",
  },
  { key: "keep", title: "Keep snapshots", help: "How many snapshots are kept, and for how long." },
  { key: "compare", title: "Compare", help: "How pages are shown in a comparison." },
  {
    key: "watch",
    title: "What is reported",
    help: "Noise, flapping pages, and what counts as unusual.",
    also: "Notifications",
  },
  { key: "tags", title: "Tags", help: "Words by which the home page finds objects, and routes choose them." },
];

const namesIn = (key: OptionGroup["key"]) =>
  (optionNames as OptionName[]).filter((name) => settingOf(name).group === key);

/** Counts the settings of a group that differ from those of a new object. */
export function countSet(key: OptionGroup["key"], options: Options, headersStored: number): number {
  const initial = (name: OptionName) => {
    const value = initialSettings[name];
    return Array.isArray(value) ? value.join("\n") : value;
  };
  // kind and name of an authentication have no effect while it is off
  if (key === "auth") return options.auth_enabled ? 1 : 0;
  if (key === "login") return options.login.length > 0 ? 1 : 0;
  const headers = key === "visit" && (options.headers ?? (headersStored > 0 ? "stored" : "")) !== "" ? 1 : 0;
  return headers + namesIn(key).filter((name) => options[name] !== initial(name)).length;
}

/** The groups that match a search, by their own words and those of their settings, in English and in the reader's language. */
export function groupsAbout(text: string): readonly OptionGroup[] {
  const wanted = text.normalize("NFC").trim().toLowerCase();
  if (wanted === "") return optionGroups;
  return optionGroups.filter((group) =>
    [
      group.title,
      group.help,
      t(group.title),
      t(group.help),
      ...(group.also === undefined ? [] : [group.also, t(group.also)]),
    ]
      .concat(namesIn(group.key).flatMap(wordsOf))
      .some((words) => words.toLowerCase().includes(wanted)),
  );
}

function wordsOf(name: OptionName): string[] {
  const { label, hint = "", help, choices = [] } = settingOf(name);
  const said = [label, hint, ...choices.flatMap((choice) => [choice.label, choice.words ?? ""])];
  return [name, help, ...said, ...said.map(translated)];
}

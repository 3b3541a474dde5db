import { settingNames, settingOf } from "@web-tester/contracts/object-settings";
import { z } from "zod";
import { ApiError } from "../../api/api-error.js";
import { inCatalogue } from "../../texts/language.js";
import { type Label, t, translated } from "../../texts/text.js";

/** What is wrong with one option, or with all of them where `name` is undefined. */
export interface OptionFault {
  readonly name: string | undefined;
  readonly message: string;
}

/** Options that have other names in the panel than in the API, by the API's names, with their labels. */
const apart: Readonly<Record<string, { name: string; label: Label }>> = {
  auth_password: { name: "secret", label: "Fetch authentication" },
  request_headers: { name: "headers", label: "Request headers" },
  login_steps: { name: "login", label: "Sign in" },
};

const details = z.array(z.object({ path: z.string(), message: z.string() })).min(1);

/** Reads why options were not saved: all faults, each with the name of its option. Empty where the server gave no reason. */
export function optionFaults(failure: unknown): OptionFault[] {
  if (!(failure instanceof ApiError)) return [];
  const all = failure.code === "invalid_input" ? details.safeParse(failure.details).data : undefined;
  // paths are like `body.crawl_pages_max` or `body.tags.0`
  return (
    all?.map(({ path, message }) => ({ name: ownName(path.split(".")[1]), message })) ?? [
      { name: undefined, message: failure.reason },
    ]
  );
}

const ownName = (name: string | undefined) => (name === undefined ? undefined : (apart[name]?.name ?? name));

/** The label that an option has on the screen. */
export function labelOf(name: string): string {
  const own = Object.values(apart).find((each) => each.name === name);
  if (own !== undefined) return t(own.label);
  const known = settingNames.find((setting) => setting === name);
  return known === undefined ? name : translated(settingOf(known).label);
}

/** Describes the faults, one per line, with the labels that the options have on the screen. */
export function faultLines(faults: readonly OptionFault[]): string[] {
  const lines = faults.map(({ name, message }) => (name === undefined ? message : `${labelOf(name)}: ${message}`));
  const sentence = faults.some(({ name }) => name !== undefined) ? inCatalogue("error:invalid_input") : undefined;
  return sentence === undefined ? lines : [sentence, ...lines];
}

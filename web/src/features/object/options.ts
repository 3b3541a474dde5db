import type { TestObject } from "@web-tester/contracts/entities/object";
import {
  type ObjectSettings,
  type SettingName,
  settingNames,
  settingOf,
  type SettingValues,
} from "@web-tester/contracts/object-settings";
import type { LoginStep, ShownLoginStep } from "@web-tester/contracts/login-steps";
import type { BodyInput } from "@web-tester/contracts/api";
import { t, translated } from "../../texts/text.js";

/** The settings that the options panel edits; the others are edited elsewhere. */
export const optionNames = settingNames.filter((name) => settingOf(name).group !== "apart");
export type OptionName = Exclude<SettingName, "sitemaps">;

/** A login step while it is edited: all fields, whatever it does. */
export interface StepDraft {
  do: LoginStep["do"];
  url: string;
  selector: string;
  /** Undefined while the stored value stays. */
  value: string | undefined;
}

/**
 * The values that the options panel edits: settings by name, lists as text, login steps as they are written, and typed secrets, since
 * stored ones are never shown: `secret`, and `headers`, which is undefined while the stored ones stay.
 */
export type Options = {
  readonly [Name in OptionName]: ObjectSettings[Name]["control"] extends "lines" ? string : SettingValues[Name];
} & { readonly secret: string; readonly headers: string | undefined; readonly login: StepDraft[] };

/** Options as they are stored, with the versions of those whose values are never shown. */
export type StoredOptions = Options & { readonly versions: Readonly<Record<SecretKey, string | null>> };
export type SecretKey = "secret" | "headers" | "login";

/** The settings of an object that the panel edits. */
export type OptionFields = Pick<TestObject, OptionName | "login_steps" | "secret_versions">;

export const optionsOf = (object: OptionFields): StoredOptions => {
  const entries = optionNames.map((name) => {
    const value = object[name as OptionName];
    return [name, Array.isArray(value) ? value.join("\n") : value];
  });
  return {
    ...(Object.fromEntries(entries) as Omit<Options, SecretKey>),
    ...{ secret: "", headers: undefined, login: object.login_steps.map(toDraft) },
    versions: {
      secret: object.secret_versions.auth_password,
      headers: object.secret_versions.request_headers,
      login: object.secret_versions.login_steps,
    },
  };
};

/** Splits a text into exclude patterns: one per line, trimmed, without empty lines. Source: specification §5. */
export const patternsOf = (text: string): string[] =>
  text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Converts the options to settings as the API takes them. */
function valuesOf(options: Options): SettingValues {
  const entries = optionNames.map((name) => {
    const value = options[name as OptionName];
    return [name, settingOf(name).control === "lines" ? patternsOf(String(value)) : value];
  });
  return Object.fromEntries(entries) as SettingValues;
}

/**
 * Makes the change to send: only what differs from what is stored, so that nothing is undone that was saved elsewhere and is not known
 * here yet. A secret that was not typed is left out and so stays; another kind of protection needs its own.
 */
export function optionsPatch(options: Options, stored: OptionFields): BodyInput<"updateTestObject"> {
  const auth_username = options.auth_type === "bearer" ? "" : options.auth_username.trim();
  const [now, before] = [valuesOf({ ...options, auth_username }), valuesOf(optionsOf(stored))];
  const different = optionNames.filter((name) => JSON.stringify(now[name]) !== JSON.stringify(before[name]));
  const patch: BodyInput<"updateTestObject"> = Object.fromEntries(different.map((name) => [name, now[name]]));
  if (options.secret !== "" || options.auth_type !== stored.auth_type) patch.auth_password = options.secret;
  if (JSON.stringify(options.login) !== JSON.stringify(stored.login_steps.map(toDraft)))
    patch.login_steps = options.login.map(toStep);
  if (options.headers !== undefined) patch.request_headers = patternsOf(options.headers);
  return patch;
}

/** The labels of the options that differ, in the order of the form. */
export function changedLabels(options: Options, stored: Options): string[] {
  const [now, before] = [valuesOf(options), valuesOf(stored)];
  const names = optionNames.filter((name) => JSON.stringify(now[name]) !== JSON.stringify(before[name]));
  return [
    ...names.map((name) => translated(settingOf(name).label)),
    ...(options.headers === stored.headers ? [] : [t("Request headers")]),
    ...(JSON.stringify(options.login) === JSON.stringify(stored.login) ? [] : [t("Login")]),
  ];
}

/** Whether the site's protection is among what differs. */
export const changesProtection = (options: Options, stored: Options): boolean =>
  options.secret !== stored.secret ||
  (["auth_enabled", "auth_type", "auth_username"] as const).some((name) => options[name] !== stored[name]);

export const sameOptions = (a: Options, b: Options): boolean =>
  a.secret === b.secret &&
  a.headers === b.headers &&
  JSON.stringify(a.login) === JSON.stringify(b.login) &&
  JSON.stringify(valuesOf(a)) === JSON.stringify(valuesOf(b));

/** Whether two values of an option mean the same: lists are compared without empty lines and spaces around lines. */
export function sameOption(name: string, a: unknown, b: unknown): boolean {
  const setting = settingNames.find((one) => one === name);
  const isList = setting !== undefined && settingOf(setting).control === "lines";
  const plain = (value: unknown) => JSON.stringify(isList ? patternsOf(String(value)) : value);
  return plain(a) === plain(b);
}

const toDraft = (step: ShownLoginStep): StepDraft => ({
  do: step.do,
  url: step.do === "open" ? step.url : "",
  selector: step.do === "open" ? "" : step.selector,
  value: step.do === "fill" && step.value_set ? undefined : "",
});

function toStep({ do: kind, url, selector, value }: StepDraft): LoginStep {
  if (kind === "open") return { do: kind, url: url.trim() };
  if (kind === "fill") return { do: kind, selector, ...(value === undefined ? {} : { value }) };
  return { do: kind, selector };
}

/** Summarises the options in a few words, for the collapsed panel. */
export function optionsSummary(object: Pick<TestObject, "auth_enabled" | "auth_type" | "exclude_list">): string {
  const names = { basic: "Basic auth", bearer: "Bearer token", header: "Header auth" } as const;
  const parts = [
    object.auth_enabled ? t(names[object.auth_type]) : "",
    object.exclude_list.length > 0 ? t("{n} exclude|{n} excludes", { n: object.exclude_list.length }) : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

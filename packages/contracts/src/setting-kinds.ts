import { z } from "zod";
import { count } from "./entities/vocabulary.js";
import { nameText } from "./visible-text.js";

/** The sections of the settings form. `apart`: the setting is not edited in this form. */
export type SettingGroup =
  | "exclude"
  | "crawl"
  | "assets"
  | "keep"
  | "load"
  | "visit"
  | "auth"
  | "compare"
  | "watch"
  | "tags"
  | "apart";

/** The control that edits a setting in the form. */
type Control = "switch" | "number" | "limit" | "lines" | "select" | "segments" | "text";

interface Told<Value> {
  group: SettingGroup;
  /** Label of its control, and its name in the guide. */
  label: string;
  /** What it does, in a sentence without a full stop, for the API's description and the guide. */
  help: string;
  /** A hint below the control, if the label does not say enough. */
  hint?: string;
  /** The column's default. */
  initial: Value;
  /** Whether a running crawl or sitemap crawl keeps the value that it began with. */
  heldByRun?: boolean;
  /** The setting is shown only while another setting has this value. */
  onlyWith?: { setting: string; is: string };
}

export interface Setting<Value, Kind extends Control = Control> extends Told<Value> {
  control: Kind;
  /** The schema of what the API accepts. */
  schema: z.ZodType<Value, unknown>;
  /** The schema of what the API returns. */
  shown: z.ZodType<Value>;
  column: { type: "boolean" | "integer" | "text"; array?: true; nullable?: true };
  /** For numbers. */
  min?: number;
  max?: number;
  unit?: string;
  /** For choices, in the order in which they are offered; `words` explain the chosen one. */
  choices?: readonly { value: string; label: string; words?: string }[];
}

export const flag = (told: Told<boolean>): Setting<boolean, "switch"> => ({
  ...told,
  control: "switch",
  schema: z.boolean(),
  shown: z.boolean(),
  column: { type: "boolean" },
});

export const whole = (told: Told<number> & { min: number; max: number; unit?: string }): Setting<number, "number"> => ({
  ...told,
  control: "number",
  schema: z.int().min(told.min).max(told.max),
  shown: count,
  column: { type: "integer" },
});

/** A number of at least one, or null for no limit. */
export const limit = (
  told: Omit<Told<number | null>, "initial"> & { max: number; unit?: string },
): Setting<number | null, "limit"> => ({
  ...told,
  initial: null,
  min: 1,
  control: "limit",
  schema: z.int().min(1).max(told.max).nullable(),
  shown: count.nullable(),
  column: { type: "integer", nullable: true },
});

/** A setting with one entry per line; lines are trimmed, empty ones dropped. */
export const lines = ({
  most,
  what,
  line,
  areNames = false,
  ...told
}: Omit<Told<string[]>, "initial"> & {
  most: number;
  what: string;
  /** For each line: a schema, whose faults name the line, or a rule for all lines. */
  line: z.ZodType<string, string> | readonly [isRight: (line: string) => boolean, message: string];
  areNames?: boolean;
}): Setting<string[], "lines"> => ({
  ...told,
  initial: [],
  control: "lines",
  schema: (() => {
    const few = z
      .array((areNames ? nameText() : z.string()).trim())
      .transform((list) => list.filter((one) => one !== ""))
      .refine((list) => list.length <= most, `You can enter up to ${most} ${what}`);
    return line instanceof z.ZodType ? few.pipe(z.array(line)) : few.refine((list) => list.every(line[0]), line[1]);
  })(),
  shown: z.array(z.string()),
  column: { type: "text", array: true },
});

export const choice = <Value extends string, Kind extends "select" | "segments">(
  control: Kind,
  schema: z.ZodType<Value>,
  told: Told<Value> & { choices: readonly { value: Value; label: string; words?: string }[] },
): Setting<Value, Kind> => ({ ...told, control, schema, shown: schema, column: { type: "text" } });

export const text = ({
  most,
  rule: [isRight, message] = [() => true, ""],
  ...told
}: Omit<Told<string>, "initial"> & {
  most: number;
  /** Applies to texts that are not empty. */
  rule?: readonly [isRight: (text: string) => boolean, message: string];
}): Setting<string, "text"> => ({
  ...told,
  initial: "",
  control: "text",
  schema: z
    .string()
    .max(most)
    .refine((value) => value.trim() === "" || isRight(value.trim()), message),
  shown: z.string(),
  column: { type: "text" },
});

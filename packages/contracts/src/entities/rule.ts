import { z } from "zod";
import { limits } from "../limits.js";
import { count, id, timestamp } from "./vocabulary.js";

/**
 * What a rule ignores when pages are compared: elements, an attribute (or one parameter of the addresses in it), a text, what stands
 * between two texts, all but some elements (`keep`), the order of the elements inside others, files, a header, or all of the markup, so
 * that only what readers get counts: the words of a page, the addresses of its links and the alternative texts of its pictures.
 */
export const ruleKind = z.enum([
  "element",
  "attribute",
  "text",
  "between",
  "keep",
  "order",
  "file",
  "header",
  "markup",
]);
export type RuleKind = z.infer<typeof ruleKind>;
export const textSyntax = z.enum(["literal", "re2"]);
/** `proposed`: found by the product and not in force; a rejected rule is kept, so that it is not proposed again. */
export const ruleState = z.enum(["active", "proposed", "rejected"]);
export type RuleState = z.infer<typeof ruleState>;

const textMax = 1_000;
const part = (what: string, max = textMax) =>
  z.string().max(max, `${what} can have up to ${max.toLocaleString("en-US")} characters`);

/** The fields that say what a rule ignores; which of them are required depends on its kind. */
export const ruleSpec = z.object({
  kind: ruleKind,
  selector: part("A selector").nullable().default(null).describe("element, attribute, keep, order: CSS selector"),
  name: part("A name").nullable().default(null).describe("attribute: its name. header: its name"),
  parameter: part("A parameter")
    .nullable()
    .default(null)
    .describe("attribute: only the value of this query parameter of the addresses in it"),
  pattern: part("A pattern", limits.rulePatternMaxChars)
    .nullable()
    .default(null)
    .describe(
      "text: what the page's source holds, `*` for a few characters; of an expression with groups only these count as ignored, and only what they say, not that they are there. element, attribute: only where all that it holds is like this. file: address, `*` for anything",
    ),
  syntax: textSyntax.default("literal").describe("Whether `pattern` is literal (with `*`) or a RE2 expression"),
  before: part("A text").nullable().default(null).describe("between: the literal text before"),
  after: part("A text").nullable().default(null).describe("between: the literal text behind"),
});
export type RuleSpec = z.infer<typeof ruleSpec>;

const path = z
  .string()
  .trim()
  .max(textMax)
  .describe("Pages it holds for: their path and query, `*` for anything; empty or `*` for all pages");
const note = z.string().trim().max(textMax);

const ruleFields = ruleSpec.extend({
  path: path.default("*"),
  note: note.default(""),
  enabled: z.boolean().default(true),
  scope: z.enum(["object", "all"]).default("object").describe("Whether it holds for this test object or for all"),
});
export type RuleInput = z.infer<typeof ruleFields>;
/** What a rule ignores on which pages, as a comparable text: a field that is empty is as one that is not given. */
export const meaningOfRule = (spec: RuleSpec, pages: string): string =>
  JSON.stringify([...Object.values(ruleSpec.parse(spec)).map((value) => value ?? ""), pages === "" ? "*" : pages]);

/** A new rule in a call. Strict: with its path misspelt, a rule would apply to all pages. */
export const ruleInput = ruleFields
  .extend({
    title: z.string().optional().describe("Of a suggestion that is handed in as it came; not kept"),
    share: z.number().optional().describe("The same"),
  })
  .strict();
/** A rule in an export file, without `scope`. */
export const ruleRecord = ruleFields.omit({ scope: true });

/** The fields of a rule that may be changed: all but `scope`. A proposed rule becomes `active` or `rejected`. */
export const rulePatch = z.strictObject({
  kind: ruleKind.optional(),
  selector: part("A selector").nullable().optional(),
  name: part("A name").nullable().optional(),
  parameter: part("A parameter").nullable().optional(),
  pattern: part("A pattern", limits.rulePatternMaxChars).nullable().optional(),
  syntax: textSyntax.optional(),
  before: part("A text").nullable().optional(),
  after: part("A text").nullable().optional(),
  path: path.optional(),
  note: note.optional(),
  enabled: z.boolean().optional(),
  state: ruleState.optional(),
});
export type RulePatch = z.infer<typeof rulePatch>;

/** Why the product proposes a rule, or applied it. */
export const ruleEvidence = z.object({
  pages: count.describe(
    "Pages on which the spot was seen to differ between two fetches seconds apart, or in the history",
  ),
  looked: count.describe("Pages that were looked at"),
  times: count.optional().describe("How often it was seen to differ"),
  compared: count
    .optional()
    .describe("Of how many pairs of fetches that followed one another, where it was found in the history"),
  values: z.array(z.string()).describe("Some of the values that were seen"),
  share: z.number().min(0).max(1).describe("Share of the text of these pages that the rule covers, at most"),
});
export type RuleEvidence = z.infer<typeof ruleEvidence>;

export const rule = ruleSpec
  .extend({
    id,
    testobject_id: id.nullable().describe("Null where it holds for all test objects"),
    path: z.string(),
    note: z.string(),
    enabled: z.boolean(),
    state: ruleState,
    author: z
      .string()
      .describe(
        "Who made it: a token or person, the address of somebody where no token is asked for, or `noise` where the product found it",
      ),
    evidence: ruleEvidence.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Rule" });
export type Rule = z.infer<typeof rule>;

/** A rule in the form that is needed to evaluate pages. */
export const appliedRule = ruleSpec.extend({ id: z.string(), path: z.string(), note: z.string() });
export type AppliedRule = z.infer<typeof appliedRule>;

/** A rule that would silence a changed place; `share`: the share of the page's text that it covers. */
export const suggestedRule = z
  .object({
    ...ruleSpec.shape,
    title: z.string().describe("What it ignores, in words"),
    share: z.number().min(0).max(1),
  })
  .meta({ id: "SuggestedRule" });
export type SuggestedRule = z.infer<typeof suggestedRule>;

/** An element of a rendered page: number `nth` (from 0) of the `of` elements with its tag, in document order. */
export const drawnElement = z.object({
  tag: z.string(),
  nth: count,
  of: count,
  id: z.string().nullable(),
  src: z.string().nullable(),
});
export type DrawnElement = z.infer<typeof drawnElement>;

/** A kind of change that a rule would hide; equal changes of many pages are one kind. */
const hiddenGroup = z.object({
  fingerprint: z.string(),
  count: count.describe("Changes of this kind that it would hide, among those looked at"),
  removed: z.string(),
  added: z.string(),
  sample: z.object({
    instance: z.object({ id, name: z.string(), url: z.string() }),
    snapshot_id: id,
    compared_with: id,
  }),
});
/** What a rule would do to the changes that were examined. */
export const rulePreviewPart = z.object({
  looked: count.describe("Changes that were looked at in this answer, youngest first"),
  silenced: count.describe("Those among them of which nothing would count any more"),
  looked_last_run: count.describe("The same for the newest run alone"),
  silenced_last_run: count,
  hidden: z.array(hiddenGroup).describe("What it would hide, the rarest kinds first; at most 50"),
  not_applied: z
    .array(z.object({ url: z.string(), reason: z.string() }))
    .describe("Pages on which it could not be evaluated"),
  next_cursor: id.nullable().describe("Where the next part begins; null where all were looked at"),
});
export type RulePreviewPart = z.infer<typeof rulePreviewPart>;
export const rulePreview = rulePreviewPart
  .extend({
    total: count.describe("Changes of the last 30 days that count now"),
    since: timestamp,
    last_run_id: id.nullable().describe("The newest run that fetched pages"),
    last_run_changes: count.describe("Pages that changed in it"),
  })
  .meta({ id: "RulePreview" });
export type RulePreview = z.infer<typeof rulePreview>;

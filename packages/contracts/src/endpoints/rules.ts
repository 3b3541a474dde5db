import { z } from "zod";
import { rule, ruleInput, rulePatch, rulePreview, suggestedRule } from "../entities/rule.js";
import { pictureRegion } from "../entities/compare.js";
import { contentForm, id } from "../entities/vocabulary.js";
import { byId, endpoint, started } from "./endpoint.js";

/** The part of the answer that tells what is evaluated again because rules have changed. */
const evaluated = {
  runId: id.nullable().describe("The run that looks at the history again; null where there is nothing to look at"),
};

/** Calls about ignore rules: what does not count as a change. */
export const rulesEndpoints = {
  listRules: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testobjects/{id}/rules",
    summary: "What does not count as a change on this test object: its own rules and those that hold for all",
    params: byId,
    response: z.object({ items: z.array(rule) }),
    errors: ["not_found"],
  }),
  createRule: endpoint({
    method: "POST",
    role: "reviewer",
    path: "/api/testobjects/{id}/rules",
    summary: "Ignore something; the history is looked at again in the background",
    params: byId,
    body: ruleInput,
    response: rule.extend(evaluated),
    errors: ["not_found", "invalid_input", "conflict"],
  }),
  previewRule: endpoint({
    method: "POST",
    role: "viewer",
    path: "/api/testobjects/{id}/rules/preview",
    summary: "What a rule would do to the changes of the last 30 days; changes nothing. Answers with a part at a time",
    params: byId,
    body: ruleInput.extend({
      rule_id: id.optional().describe("The rule that it would replace"),
      cursor: id.optional().describe("next_cursor of the part before"),
    }),
    response: rulePreview,
    errors: ["not_found", "invalid_input", "unavailable"],
  }),
  suggestRules: endpoint({
    method: "POST",
    role: "viewer",
    path: "/api/testobjects/{id}/rules/suggest",
    summary:
      "The narrowest rules that would silence a changed line of two snapshots, or a region of the newer one's picture",
    params: byId,
    body: z.strictObject({
      a: id.describe("The older snapshot"),
      b: id.describe("The newer snapshot"),
      as: contentForm.default("source"),
      side: z.enum(["a", "b"]).default("b"),
      line: z.int().min(1).optional().describe("A changed line of that side, counted from 1"),
      region: pictureRegion.optional().describe("In place of a line: a part of the picture of the newer snapshot"),
    }),
    response: z.object({ items: z.array(suggestedRule) }),
    errors: ["not_found", "invalid_input", "unavailable"],
  }),
  findNoise: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects/{id}/find-noise",
    summary:
      "Fetch some pages of each kind twice and make rules of what differs between the two: proposed ones, or with `apply` rules in force. A rule that covers more than 5 % of a page's text is only ever proposed, and so is one for prices, and for what differed at every one of the fetches so far, or went back and forth",
    params: byId,
    body: z
      .strictObject({
        apply: z.boolean().default(false),
        fetch: z.boolean().default(true).describe("False: only the snapshots that are there are looked at"),
      })
      .default({ apply: false, fetch: true }),
    response: started,
    errors: ["not_found", "conflict", "invalid_input"],
  }),
  updateRule: endpoint({
    method: "PATCH",
    role: "reviewer",
    path: "/api/rules/{id}",
    summary: "Change a rule, switch it on or off, accept or reject a proposed one",
    params: byId,
    body: rulePatch,
    response: rule.extend(evaluated),
    errors: ["not_found", "invalid_input", "conflict"],
  }),
  deleteRule: endpoint({
    method: "DELETE",
    role: "reviewer",
    path: "/api/rules/{id}",
    summary: "Remove a rule; what it ignored counts again",
    params: byId,
    response: z.object(evaluated),
    errors: ["not_found", "conflict"],
  }),
} as const;

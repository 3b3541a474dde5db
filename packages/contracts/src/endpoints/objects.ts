import { z } from "zod";
import { testInstanceListItem } from "../entities/instance.js";
import { testObject } from "../entities/object.js";
import { excludeMiss } from "../entities/run.js";
import { instanceSelection, removal, undoSeconds } from "../entities/removal.js";
import { httpUrl, id, instanceFilter, instanceOrder } from "../entities/vocabulary.js";
import { limits } from "../limits.js";
import { settingSchemas } from "../object-settings.js";
import { loginSteps, triedStep } from "../login-steps.js";
import { nameText, visibleText } from "../visible-text.js";
import { headerFault } from "../visitor.js";
import { byId, endpoint } from "./endpoint.js";

const undo = z.strictObject({ undo_s: undoSeconds });
/** A deletion that has begun (`runId`), or one that waits and can be undone (`removal`). */
const deletion = z.object({ runId: id.nullable(), total: z.int(), removal: removal.nullable() });

const objectName = visibleText(limits.nameMaxChars, "Enter a name");

/** What can be set of a test object besides its name and address. */
const options = {
  ...settingSchemas,
  auth_password: z.string().max(limits.secretMaxChars),
  login_steps: loginSteps.describe(
    "How to sign in at the site, in a browser, once in each run: steps that open a page, fill a field, click, and wait for an element. Values are kept encrypted and never come back; one that is left out stays as it is. An empty list: no login",
  ),
  request_headers: z
    .array(z.string().trim())
    .transform((list) => list.filter((line) => line !== ""))
    .refine(
      (list) => list.length <= 30 && list.join("").length <= 8_000,
      "You can enter up to 30 headers with 8,000 characters in total",
    )
    .superRefine((list, context) => {
      for (const [index, line] of list.entries()) {
        const message = headerFault(line);
        if (message !== null) context.addIssue({ code: "custom", path: [index], message });
      }
    })
    .describe(
      "Headers that requests to the site's own origin carry, as `Name: value`; cookies as `Cookie: a=b`. They are kept encrypted and never come back; an empty list removes them",
    ),
};

interface Readiness {
  ready_when?: string | undefined;
  ready_selector?: string | undefined;
}
const namesElement = ({ ready_when, ready_selector }: Readiness): boolean =>
  ready_when !== "selector" || ready_selector?.trim() !== "";
const elementMissing = { path: ["ready_selector"], message: "Enter the CSS selector of the element to wait for" };

/** Calls about test objects, the registered sites. */
export const objectsEndpoints = {
  listTestObjects: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testobjects",
    summary: "All test objects, most urgent first",
    response: z.array(testObject),
  }),
  createTestObject: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects",
    summary: "Register a site; options that are left out begin as they do in the screens",
    body: z
      .object({ name: objectName, url: httpUrl, ...z.object(options).partial().shape })
      .refine(namesElement, elementMissing),
    response: testObject,
    errors: ["invalid_input"],
  }),
  getTestObject: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testobjects/{id}",
    summary: "One test object; an empty list where there is none",
    params: z.object({ id: z.string() }),
    response: z.union([testObject, z.array(z.never()).max(0)]),
  }),
  updateTestObject: endpoint({
    method: "PATCH",
    role: "operator",
    path: "/api/testobjects/{id}",
    summary:
      "Change options of a test object; a secret that is left out stays as it is, an empty one is removed. A crawl that is running keeps the rules that it began with",
    params: byId,
    body: z
      .strictObject({
        name: objectName,
        url: httpUrl.describe(
          "Where crawls begin and what is in scope, from the next crawl on. Pages that are there stay as they are, with their addresses. Where it is another origin, stored secrets (password, headers, login) are forgotten: they were meant for the old one",
        ),
        ...options,
      })
      .partial()
      .refine(namesElement, elementMissing),
    response: testObject,
    errors: ["not_found", "invalid_input"],
  }),
  tryLogin: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects/{id}/try-login",
    summary: "Sign in as the stored steps say, and show what the page looked like after each",
    params: byId,
    response: z.object({
      ok: z.boolean(),
      steps: z.array(triedStep.extend({ picture: z.string().nullable().describe("Where a picture of the page is") })),
    }),
    errors: ["not_found", "invalid_input", "unavailable"],
  }),
  deleteTestObject: endpoint({
    method: "DELETE",
    role: "operator",
    path: "/api/testobjects/{id}",
    summary: "Delete a test object with everything it holds",
    params: byId,
    query: undo,
    response: deletion,
    errors: ["not_found"],
  }),
  listTestInstances: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testobjects/{id}/testinstances",
    summary: "Instances of a test object, those that need eyes first unless another order is asked for",
    params: byId,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(limits.instancesFetchLimit).default(limits.instancesPageSize),
      offset: z.coerce.number().int().min(0).default(0),
      status: instanceFilter.optional(),
      q: nameText().max(200).optional().describe("Part of the name or URL"),
      sort: instanceOrder
        .optional()
        .describe(
          "By name, by address, or those first that were fetched last, changed last or are largest; without it those that need eyes first",
        ),
    }),
    response: z.object({ items: z.array(testInstanceListItem), hasMore: z.boolean(), total: z.int() }),
    errors: ["not_found"],
  }),
  previewExcludes: endpoint({
    method: "POST",
    role: "viewer",
    path: "/api/testobjects/{id}/exclude-preview",
    summary: "Which known instances a list of exclude patterns would leave out; nothing is changed",
    params: byId,
    body: z.object({ exclude_list: settingSchemas.exclude_list }),
    response: z.object({
      total: z.int(),
      excluded: z.int(),
      items: z.array(z.object({ id, url: z.string(), pattern: z.string() })),
      misses: z.array(excludeMiss).describe("Patterns that leave out none, and why"),
    }),
    errors: ["not_found", "invalid_input"],
  }),
  deleteAll: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects/{id}/delete-all",
    summary: "Delete all instances with their snapshots",
    params: byId,
    query: undo,
    response: deletion,
    errors: ["not_found", "conflict"],
  }),
  deleteSnapshots: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects/{id}/delete-snapshots",
    summary: "Delete all snapshots, keep the instances",
    params: byId,
    query: undo,
    response: deletion,
    errors: ["not_found", "conflict"],
  }),
  deleteSelected: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects/{id}/delete-selected",
    summary: "Delete some instances with their snapshots",
    params: byId,
    query: undo,
    body: instanceSelection,
    response: z.object({ removal: removal.nullable().describe("Null where no instance was meant") }),
    errors: ["not_found", "invalid_input"],
  }),
  undoRemoval: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/removals/{id}/undo",
    summary: "Take a deletion back that is not carried out yet",
    params: byId,
    body: z.object({}),
    response: z.object({ undone: z.literal(true) }),
    errors: ["not_found", "conflict"],
  }),
} as const;

import { z } from "zod";
import { count, id, timestamp } from "./vocabulary.js";
import { role } from "./role.js";
import { nameText, visibleText } from "../visible-text.js";

/** The kind of caller: anybody (no token is required), API_TOKEN, a named token, a person of an identity provider, or the holder of a share link. */
export const actorKind = z.enum(["anybody", "root", "token", "person", "share"]);
export type ActorKind = z.infer<typeof actorKind>;

/** The caller of the API, and how one can sign in. */
export const session = z
  .object({
    open: z.boolean().describe("Whether everything is answered without a token: no token was ever set up here"),
    actor: z
      .object({
        kind: actorKind,
        name: z.string(),
        role,
        signed_in: z.boolean().describe("By the cookie of a sign-in"),
        until: timestamp.nullable().describe("When the sign-in or token ends; null: not by itself"),
      })
      .nullable()
      .describe("null: what was sent lets nobody in"),
    provider: z.string().nullable().describe("The name of the identity provider that one can sign in at"),
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof session>;

/** A named token, without its secret. */
export const apiToken = z
  .object({
    id,
    name: z.string(),
    role,
    made_by: z.string(),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable().describe("To the minute"),
    revoked_at: timestamp.nullable(),
    revoked_by: z.string().nullable(),
    state: z.enum(["active", "expired", "revoked"]),
  })
  .meta({ id: "ApiToken" });
export type ApiToken = z.infer<typeof apiToken>;

/** Strict: with `expires_at` misspelt, the token would never expire. */
export const apiTokenInput = z.strictObject({
  name: visibleText(200, "Enter a name"),
  role,
  expires_at: timestamp.nullable().default(null).describe("null: until it is revoked"),
});

/** What a share link shows. */
export const shareKind = z.enum(["difference", "review", "snapshot"]);
export type ShareKind = z.infer<typeof shareKind>;

const shared = {
  kind: shareKind,
  run_id: id.nullable().describe("review: of this run"),
  snapshot_id: id.nullable().describe("snapshot: this one; difference: the older one"),
  other_id: id.nullable().describe("difference: the newer one"),
};

/** A share link, without its secret. */
export const shareLink = z
  .object({
    id,
    ...shared,
    testobject_id: id,
    note: z.string(),
    made_by: z.string(),
    own: z.boolean().describe("Whether whoever asks has made it"),
    created_at: timestamp,
    expires_at: timestamp,
    last_used_at: timestamp.nullable(),
    revoked_at: timestamp.nullable(),
    state: z
      .enum(["active", "expired", "revoked", "gone"])
      .describe("gone: what it showed was deleted, or removed by retention"),
  })
  .meta({ id: "ShareLink" });
export type ShareLink = z.infer<typeof shareLink>;

/** Strict: with `hours` misspelt, the link would get the default lifetime. */
export const shareInput = z.strictObject({
  kind: shareKind,
  run_id: id.optional(),
  snapshot_id: id.optional(),
  other_id: id.optional(),
  note: z.string().trim().max(200).default("").describe("For whom it is, for those who look through the list"),
  hours: z.int().min(1).max(8_760).default(168).describe("How long it opens"),
});

/** What a share link opens, for the screen that shows it. */
export const sharedThing = z
  .object({
    ...shared,
    testobject: z.object({ name: z.string(), url: z.string() }),
    page: z.object({ name: z.string(), url: z.string() }).nullable(),
    made_by: z.string(),
    expires_at: timestamp,
  })
  .meta({ id: "SharedThing" });
export type SharedThing = z.infer<typeof sharedThing>;

/** A call that changes something, and who made it. */
export const auditEntry = z
  .object({
    id,
    at: timestamp,
    actor: z.string(),
    actor_kind: actorKind.or(z.literal("stranger")),
    role: role.nullable(),
    address: z.string().describe("Where the call came from"),
    action: z.string().describe("Name of the call, as in the OpenAPI document"),
    subject_kind: z.string().nullable().describe("What the id in the call's address names"),
    subject_id: id.nullable(),
    testobject_id: id.nullable(),
    object_name: z.string().nullable().describe("The test object's name at that time"),
    made_id: id.nullable().describe("What the call made or began"),
    fields: z.array(z.string()).describe("Names of what the body sets; values are not kept"),
    outcome: z
      .enum(["done", "refused", "failed", "unknown"])
      .describe("unknown: it goes on, or the server ended before it did"),
    status: z.int().nullable(),
    code: z.string().nullable(),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditFilter = {
  q: nameText().max(200).optional().describe("Part of actor, call, object's name, address or an id"),
  actor: nameText().max(200).optional().describe("Part of who made it: a token's or person's name, or an address"),
  actor_kind: auditEntry.shape.actor_kind.optional(),
  action: z.string().max(100).optional(),
  outcome: z.enum(["done", "refused", "failed", "unknown"]).optional(),
  testobject_id: id.optional(),
  from: timestamp.optional(),
  to: timestamp.optional(),
};

export const auditList = z.object({
  items: z.array(auditEntry),
  nextCursor: id.nullable(),
  days: count.describe("How long entries are kept; 0: for good"),
});

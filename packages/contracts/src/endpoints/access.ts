import { z } from "zod";
import {
  apiToken,
  apiTokenInput,
  auditFilter,
  auditList,
  session,
  sharedThing,
  shareInput,
  shareKind,
  shareLink,
} from "../entities/access.js";
import { id } from "../entities/vocabulary.js";
import { byId, endpoint } from "./endpoint.js";

/** Calls about who may do what, and who did. */
export const accessEndpoints = {
  getSession: endpoint({
    method: "GET",
    role: "public",
    path: "/api/session",
    summary: "Who is asking, what they may do, and how one can sign in",
    response: session,
  }),
  signIn: endpoint({
    method: "POST",
    role: "public",
    path: "/api/session",
    summary: "Sign a browser in with a token: the answer sets a cookie that no script can read",
    body: z.object({ token: z.string().min(1, "Enter a token").max(4_096) }),
    response: session,
    errors: ["invalid_input", "conflict"],
  }),
  signOut: endpoint({
    method: "DELETE",
    role: "public",
    path: "/api/session",
    summary: "Sign this browser out, or all browsers of the same person or token; their websockets are closed",
    query: z.object({
      everywhere: z
        .enum(["true", "false"])
        .default("false")
        .describe("Whether all other sign-ins of the same person or token end as well"),
    }),
    response: session,
  }),
  listTokens: endpoint({
    method: "GET",
    role: "admin",
    path: "/api/tokens",
    summary: "Named tokens, those that open something first",
    response: z.object({
      items: z.array(apiToken),
      root: z.boolean().describe("Whether API_TOKEN is set, which is an admin that cannot be revoked here"),
    }),
  }),
  createToken: endpoint({
    method: "POST",
    role: "admin",
    path: "/api/tokens",
    summary: "Make a named token. Its secret is in this answer and in no other",
    body: apiTokenInput,
    response: apiToken.extend({ token: z.string() }),
    errors: ["invalid_input", "conflict"],
  }),
  revokeToken: endpoint({
    method: "DELETE",
    role: "admin",
    path: "/api/tokens/{id}",
    summary: "Revoke a token at once: its sign-ins, websockets and answers under way end too",
    params: byId,
    response: apiToken,
    errors: ["not_found", "conflict"],
  }),
  listAudit: endpoint({
    method: "GET",
    role: "admin",
    path: "/api/audit",
    summary: "Calls that changed something or tried to, newest first",
    query: z.object({
      ...auditFilter,
      limit: z.coerce.number().int().min(1).max(500).default(50),
      cursor: id.optional().describe("nextCursor of the page before"),
    }),
    response: auditList,
    errors: ["invalid_input"],
  }),
  exportAudit: endpoint({
    method: "GET",
    role: "admin",
    path: "/api/audit/export",
    summary: "The same list as a file, whole",
    query: z.object({ ...auditFilter, format: z.enum(["csv", "json"]).default("csv") }),
    response: z.unknown(),
    produces: ["text/csv", "application/json"],
    errors: ["invalid_input"],
  }),
  listShares: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/shares",
    summary: "Share links, newest first: of one thing, of one test object, or all",
    query: z.object({
      testobject_id: id.optional(),
      kind: shareKind.optional(),
      run_id: id.optional(),
      snapshot_id: id.optional(),
      other_id: id.optional(),
    }),
    response: z.object({ items: z.array(shareLink) }),
    errors: ["invalid_input"],
  }),
  createShare: endpoint({
    method: "POST",
    role: "reviewer",
    path: "/api/shares",
    summary:
      "Make a link that shows one difference, review or snapshot to whoever has its secret, and nothing else. The secret is in this answer and in no other",
    body: shareInput,
    response: shareLink.extend({ secret: z.string().describe("Sent as `Authorization: Bearer`") }),
    errors: ["not_found", "invalid_input"],
  }),
  revokeShare: endpoint({
    method: "DELETE",
    role: "reviewer",
    path: "/api/shares/{id}",
    summary: "End a share link at once. Those of others: admins only",
    params: byId,
    response: shareLink,
    errors: ["not_found"],
  }),
  getShared: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/shared",
    summary: "What the share link opens that was sent as the token",
    response: sharedThing,
    errors: ["not_found"],
  }),
} as const;

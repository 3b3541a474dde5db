import { z } from "zod";
import { shownSettings } from "../object-settings.js";
import { shownLoginStep } from "../login-steps.js";
import { removal } from "./removal.js";
import { id, timestamp, count } from "./vocabulary.js";
import { objectProgress, runSummary } from "./run.js";

const secretVersion = z.string().nullable();

export const testObject = z
  .object({
    id,
    name: z.string(),
    url: z.string(),
    created_at: timestamp,
    ...shownSettings,
    auth_password_set: z.boolean().describe("Whether a secret is stored; the secret itself never comes back"),
    login_steps: z.array(shownLoginStep).describe("How the product signs in at the site; values never come back"),
    request_header_names: z
      .array(z.string())
      .describe("Names of the headers that are stored for requests to the site; their values never come back"),
    secret_versions: z
      .object({ auth_password: secretVersion, request_headers: secretVersion, login_steps: secretVersion })
      .describe(
        "Says of secrets, which never come back, whether others were stored meanwhile: then these values differ",
      ),
    browser_problem: z
      .string()
      .nullable()
      .describe(
        "Why pages of this object cannot be loaded in a browser now, in words; null where they can or need not",
      ),
    retention_waits_until: timestamp
      .nullable()
      .describe("These rules remove nothing before that, because an import brought history that they would remove"),
    removed: z
      .object({ by_age: count, by_count: count, unchanged: count, last_at: timestamp.nullable() })
      .describe("Snapshots that these rules removed so far, by reason"),
    instances_total: count,
    snapshots_total: count,
    max_snapshots: count.describe("Largest number of finished snapshots of one instance"),
    status_counts: z.object({ changed: count, failed: count }).describe("Instances by their newest snapshot"),
    history: z.array(runSummary).describe("The newest finished fetch runs, oldest first"),
    review: z
      .object({ run_id: id, waiting: count })
      .nullable()
      .describe("The newest fetch of all pages, and how many changed pages of it wait for somebody to look at them"),
    progress: objectProgress,
    deleting: z.boolean(),
    removal: removal
      .nullable()
      .describe("The newest deletion of the object, or of a part of it, that can still be undone"),
  })
  .meta({ id: "TestObject" });
export type TestObject = z.infer<typeof testObject>;

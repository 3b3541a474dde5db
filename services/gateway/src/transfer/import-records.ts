import { takenWithSchema } from "@web-tester/contracts/visitor";
import { api } from "@web-tester/contracts/api";
import { isAssetExtension } from "@web-tester/contracts/asset-types";
import { scheduleSpec } from "@web-tester/contracts/entities/schedule";
import { ruleRecord } from "@web-tester/contracts/entities/rule";
import { snapshotAsset } from "@web-tester/contracts/entities/snapshot";
import { fetchModeUsed, httpUrl, snapshotState, webAddress } from "@web-tester/contracts/entities/vocabulary";
import { budgets, limits } from "@web-tester/contracts/limits";
import { type SettingName, settingNames, settingOf } from "@web-tester/contracts/object-settings";
import { nameText } from "@web-tester/contracts/visible-text";
import { charsetOf } from "@web-tester/html/charset/declared-charset";
import { z } from "zod";
import { routeOfAllRecord, routeRecord } from "./import-routes.js";
import { readTime } from "./read-time.js";

/*
 * Schemas for the records of an export file, based on those of the API. Other programs write ids as numbers, booleans as 0 and 1,
 * times as SQL does, and leave out unknown values; all of that is accepted.
 */
const looseId = z.union([z.string().min(1).max(200), z.int()]).transform(String);

/** Milliseconds since 1970. */
const time = z.union([z.string().max(40), z.number()]).transform((value, context) => {
  const read = readTime(value, Date.now());
  if (read.ok) return read.ms;
  context.addIssue({ code: "custom", message: read.fault });
  return z.NEVER;
});

const parent = z.union([looseId, z.object({ id: looseId }).transform((object) => object.id)]);
const absent = (record: unknown): unknown =>
  typeof record === "object" && record !== null && !Array.isArray(record)
    ? Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
    : record;
const flag = z.union([z.boolean(), z.literal(0).transform(() => false), z.literal(1).transform(() => true)]);
const listed = <T extends z.ZodType>(inner: T) =>
  z.preprocess((value) => (typeof value === "string" ? value.split("\n") : value), inner);

/** The schema of each setting, for the API's form and those of other programs. */
const looseSettings = Object.fromEntries(
  settingNames.map((name) => {
    const { control, schema } = settingOf(name);
    const loose = control === "switch" ? flag : control === "lines" ? listed(schema) : schema;
    return [name, loose.optional()];
  }),
) as Record<SettingName, z.ZodOptional<z.ZodType<unknown>>>;
const name = nameText().trim().max(limits.nameMaxChars);
const headerNameText = z.string().regex(/^[!#$%&'*+.^_`|~\w-]{1,8000}$/, "must be the name of a header");

/** How many rules, schedules and routes of an object an import takes: as many as one object can have here, so that every export comes back. */
export const objectHas = { rules: 1_000, schedules: 20, routes: 1_000 } as const;
const atMost = <T extends z.ZodType>(inner: T, most: number) =>
  z
    .array(inner)
    .max(most, `are more than ${most.toLocaleString("en-US")}`)
    .optional();

export const objectRecord = z.preprocess(
  absent,
  z.object({
    ...looseSettings,
    auth_password: api.updateTestObject.body.shape.auth_password,
    id: looseId,
    name: name.optional(),
    url: httpUrl,
    created_at: time.optional(),
    auth_password_set: flag.optional(),
    request_header_names: z.array(headerNameText).max(30, "are more than 30").optional(),
    login_set: flag.optional(),
    ignore_rules: atMost(ruleRecord, objectHas.rules),
    schedules: atMost(scheduleSpec, objectHas.schedules),
    routes: atMost(routeRecord, objectHas.routes),
    routes_of_all: atMost(routeOfAllRecord, objectHas.routes),
  }),
);
export type ObjectRecord = z.infer<typeof objectRecord>;

export const instanceRecord = z.preprocess(
  absent,
  z
    .object({
      id: looseId,
      name: name.optional(),
      url: httpUrl,
      created_at: time.optional(),
      testobject_id: parent.optional(),
      testobjectId: parent.optional(),
      testobject: parent.optional(),
    })
    .transform(({ testobject_id, testobjectId, testobject, ...rest }) => ({
      ...rest,
      parent: testobject_id ?? testobjectId ?? testobject,
    }))
    .refine((record) => record.parent !== undefined, {
      path: ["testobject_id"],
      message: "is missing; name the test object that this instance belongs to",
    }),
);
export type InstanceRecord = z.infer<typeof instanceRecord>;

const headerValue = z.union([z.string(), z.array(z.string()), z.number().transform(String)]);
const headers = z
  .union([z.string(), z.record(z.string().max(1_000), headerValue)])
  .refine((value) => JSON.stringify(value).length <= 4 * budgets.headersMaxBytes, "is too large")
  .transform((value, context) => {
    if (typeof value !== "string") return value;
    if (value.trim() === "") return {};
    const parsed = z.record(z.string().max(1_000), headerValue).safeParse(parseJson(value));
    if (parsed.success) return parsed.data;
    context.addIssue({ code: "custom", message: "must be JSON text of an object, names to values" });
    return z.NEVER;
  });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const shortText = z.string().max(8_000);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hexadecimal digits");
/**
 * A file that a page needs, as archives contain it. It is checked here, because otherwise a fault would only show when somebody opens
 * the page, perhaps years later.
 */
const asset = z.preprocess(
  absent,
  z
    .object({
      url: webAddress,
      base_url: webAddress.optional(),
      kind: snapshotAsset.shape.kind,
      sha256: sha256.optional(),
      content_type: z.string().max(300).default(""),
      extension: z
        .string()
        .refine((text) => text === "" || isAssetExtension(text), "is none that assets are served as")
        .default(""),
      error: shortText.optional(),
    })
    // bytes of unknown type are served as `bin`
    .transform((file) => (file.sha256 !== undefined && file.extension === "" ? { ...file, extension: "bin" } : file)),
);

export const snapshotRecord = z.preprocess(
  absent,
  z
    .object({
      id: looseId,
      testinstance_id: parent.optional(),
      testinstanceId: parent.optional(),
      testinstance: parent.optional(),
      created_at: time.optional(),
      fetched_at: time.optional(),
      state: snapshotState.optional(),
      html: z.string().max(limits.importHtmlMaxChars, "is too large").optional(),
      headers: headers.default({}),
      http_status: z.int().min(0).max(999).optional(),
      final_url: webAddress.optional(),
      redirects: z
        .array(z.object({ url: webAddress, status: z.int().min(0).max(999) }))
        .max(100)
        .default([]),
      error_code: z.string().max(100).optional(),
      error: shortText.optional(),
      warning: shortText.optional(),
      fetch_mode_used: fetchModeUsed.optional(),
      taken_with: takenWithSchema.optional(),
      duration_ms: z.int().min(0).max(2_147_483_647).optional(),
      html_sha256: sha256.optional(),
      charset: z
        .string()
        .max(40)
        .refine((label) => charsetOf(label) !== null, "is no charset that browsers know")
        .optional(),
      assets: z.array(asset).max(5_000).default([]),
    })
    .transform(({ testinstance_id, testinstanceId, testinstance, ...rest }) => ({
      ...rest,
      parent: testinstance_id ?? testinstanceId ?? testinstance,
    }))
    .refine((record) => record.parent !== undefined, {
      path: ["testinstance_id"],
      message: "is missing; name the instance that this snapshot belongs to",
    }),
);
export type SnapshotRecord = z.infer<typeof snapshotRecord>;

import { settingNames, settingOf } from "@web-tester/contracts/object-settings";
import { EntitySchema, type EntitySchemaColumnOptions } from "typeorm";

const settings = Object.fromEntries(
  settingNames.map((name): [string, EntitySchemaColumnOptions] => {
    const { column, initial } = settingOf(name);
    const isList = Array.isArray(initial);
    return [name, { ...column, ...(initial === null ? {} : { default: isList ? `{${initial.join(",")}}` : initial }) }];
  }),
);

/**
 * A registered site. `auth_password_sealed`: the secret of any of the three kinds of credentials, encrypted; see secrets/secret-box.
 * `request_headers_sealed`: lines of headers, encrypted too. `login_sealed`: the steps of `login_steps` with the values that are filled in,
 * encrypted. `retention_waits_until`: the retention rules remove nothing before that time. `noise_state`: `open` until all pages were
 * fetched once, `due` while an automatic search for noise is scheduled, then `tried`; `again` while the history has to be searched.
 */
export const testObjectEntity = new EntitySchema({
  name: "test_object",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    name: { type: "text" },
    url: { type: "text" },
    ...settings,
    auth_password_sealed: { type: "bytea", nullable: true },
    login_steps: { type: "jsonb", default: [] },
    login_sealed: { type: "bytea", nullable: true },
    request_headers_sealed: { type: "bytea", nullable: true },
    request_header_names: { type: "text", array: true, default: "{}" },
    deleting: { type: "boolean", default: false },
    created_at: { type: "timestamptz", default: () => "now()" },
    retention_checked_at: { type: "timestamptz", nullable: true },
    retention_waits_until: { type: "timestamptz", nullable: true },
    removed_by_age: { type: "integer", default: 0 },
    removed_by_count: { type: "integer", default: 0 },
    removed_unchanged: { type: "integer", default: 0 },
    removed_at: { type: "timestamptz", nullable: true },
    noise_state: { type: "text", default: "open" },
    dictionary_hash: { type: "bytea", nullable: true },
  },
  indices: [
    { name: "test_object_dictionary", columns: ["dictionary_hash"], where: "dictionary_hash IS NOT NULL" },
    { name: "test_object_noise_due", columns: ["id"], where: "noise_state IN ('due', 'again')" },
  ],
  foreignKeys: [
    {
      name: "fk_test_object_dictionary",
      target: "content",
      columnNames: ["dictionary_hash"],
      referencedColumnNames: ["hash"],
    },
  ],
});

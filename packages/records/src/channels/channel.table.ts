import { EntitySchema } from "typeorm";

/**
 * A channel that messages are sent to. `settings`: those that may be shown; `sealed`: address and secret, encrypted; `fault`: why the
 * product switched it off; `held_until`: the earliest time of the next message, as its receiver demanded.
 */
export const channelEntity = new EntitySchema({
  name: "channel",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    kind: { type: "text" },
    name: { type: "text" },
    settings: { type: "jsonb" },
    sealed: { type: "bytea" },
    host: { type: "text", nullable: true },
    enabled: { type: "boolean", default: true },
    fault: { type: "text", nullable: true },
    held_until: { type: "timestamptz", nullable: true },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
});

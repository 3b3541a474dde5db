import { EntitySchema } from "typeorm";

/**
 * Where messages go. `settings`: what may be shown; `sealed`: address and secret, encrypted; `fault`: why it was switched off by itself; `held_until`:
 * when its receiver wants the next message at the earliest.
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

import { EntitySchema } from "typeorm";

/** Where messages go. `settings`: what may be shown; `sealed`: address and secret, encrypted; `fault`: why it was switched off by itself. */
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
    created_at: { type: "timestamptz", default: () => "now()" },
  },
});

import { EntitySchema } from "typeorm";

/**
 * A message to a channel: `sections` of the contract's digest, gathered until it is due, then sent until it arrives. Its id is the message's
 * at each try. `fence` tells who of two senders still holds it; `first_at`: its
 * first try; `remaining`: who of a mail's recipients is still to get it, where others did.
 */
export const deliveryEntity = new EntitySchema({
  name: "delivery",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    channel_id: { type: "uuid" },
    route_id: { type: "uuid", nullable: true },
    state: { type: "text" },
    sections: { type: "jsonb" },
    sentence: { type: "text" },
    attempts: { type: "integer", default: 0 },
    fence: { type: "integer", default: 0 },
    remaining: { type: "text", array: true, nullable: true },
    first_at: { type: "timestamptz", nullable: true },
    lease_until: { type: "timestamptz", nullable: true },
    next_at: { type: "timestamptz", nullable: true },
    status: { type: "integer", nullable: true },
    answer: { type: "text", default: "" },
    created_at: { type: "timestamptz", default: () => "now()" },
    sent_at: { type: "timestamptz", nullable: true },
  },
  indices: [
    { name: "delivery_gathering", columns: ["route_id"], unique: true, where: "state = 'gathering'" },
    {
      name: "delivery_waiting",
      columns: ["next_at"],
      where: "state IN ('gathering', 'queued', 'sending')",
    },
    { name: "delivery_of_channel", columns: ["channel_id", "id"] },
  ],
  foreignKeys: [
    {
      name: "fk_delivery_channel",
      target: "channel",
      columnNames: ["channel_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});

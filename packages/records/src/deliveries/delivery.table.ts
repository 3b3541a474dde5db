import { EntitySchema } from "typeorm";

/**
 * A message to a channel: `sections` of the contract's digest, gathered until it is due, then retried until it arrives. Every attempt sends
 * the row's id as the message id. `fence` tells which of two senders still holds the message; `first_at`: time of the first attempt;
 * `remaining`: the recipients of a mail who still have to get it, once others got it; `refused`: those who were refused for good by then; `whole`: somebody wants it sent as it is, even if other
 * messages told the same; `cadence`: the type of its route's cadence, empty in messages of earlier versions.
 */
export const deliveryEntity = new EntitySchema({
  name: "delivery",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    channel_id: { type: "uuid" },
    route_id: { type: "uuid", nullable: true },
    cadence: { type: "text", default: "" },
    state: { type: "text" },
    sections: { type: "jsonb" },
    sentence: { type: "text" },
    attempts: { type: "integer", default: 0 },
    fence: { type: "integer", default: 0 },
    remaining: { type: "text", array: true, nullable: true },
    refused: { type: "text", array: true, default: "{}" },
    whole: { type: "boolean", default: false },
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
    { name: "delivery_queued", columns: ["channel_id", "id"], where: "state = 'queued'" },
    { name: "delivery_sent", columns: ["channel_id", "sent_at"], where: "state = 'sent'" },
    { name: "delivery_unsent", columns: ["channel_id", "first_at"], where: "state IN ('queued', 'sending', 'dead')" },
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

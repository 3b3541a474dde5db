import { EntitySchema } from "typeorm";

/** Which messages a channel gets about an object, or about all objects if none is set. `spec`: the contract's `routeSpec` without the two ids. */
export const routeEntity = new EntitySchema({
  name: "route",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    channel_id: { type: "uuid" },
    test_object_id: { type: "uuid", nullable: true },
    spec: { type: "jsonb" },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [
    { name: "route_of_channel", columns: ["channel_id"] },
    { name: "route_of_object", columns: ["test_object_id"] },
  ],
  foreignKeys: [
    {
      name: "fk_route_channel",
      target: "channel",
      columnNames: ["channel_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
    {
      name: "fk_route_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});

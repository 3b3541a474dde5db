import { EntitySchema } from "typeorm";

/** When a host may be asked again, for every replica; `held_until`: a request to a host with a delay is under way. */
export const hostGateEntity = new EntitySchema({
  name: "host_gate",
  columns: {
    host: { type: "text", primary: true },
    next_at: { type: "timestamptz" },
    held_until: { type: "timestamptz", nullable: true },
  },
});

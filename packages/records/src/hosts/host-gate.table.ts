import { EntitySchema } from "typeorm";

/** When a host may be requested again, for all replicas; `held_until`: a request to a host with a delay is in progress. */
export const hostGateEntity = new EntitySchema({
  name: "host_gate",
  columns: {
    host: { type: "text", primary: true },
    next_at: { type: "timestamptz" },
    held_until: { type: "timestamptz", nullable: true },
  },
});

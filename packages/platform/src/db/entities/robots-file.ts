import { EntitySchema } from "typeorm";

/** What an origin answered to `GET /robots.txt`, shared by all replicas until it expires. `status` null: no answer. */
export const robotsFileEntity = new EntitySchema({
  name: "robots_file",
  columns: {
    origin: { type: "text", primary: true },
    status: { type: "integer", nullable: true },
    body: { type: "bytea" },
    problem: { type: "text", nullable: true },
    delay_ms: { type: "integer", default: 0 },
    expires_at: { type: "timestamptz" },
  },
});

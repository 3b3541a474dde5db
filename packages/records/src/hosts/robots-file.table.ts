import { EntitySchema } from "typeorm";

/**
 * The answer of an origin to `GET /robots.txt`, shared by all replicas until it expires. `origin`: the origin alone, or, if an object asked
 * its own site, followed by a suffix for that object (`ownRobots`). `status` null: no answer.
 */
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

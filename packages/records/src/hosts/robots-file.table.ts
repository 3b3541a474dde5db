import { EntitySchema } from "typeorm";

/**
 * What an origin answered to `GET /robots.txt`, shared by all replicas until it expires. `origin`: the origin alone, or, where it was
 * asked by an object whose own it is, followed by what sets that object's answer apart (`ownRobots`). `status` null: no answer.
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

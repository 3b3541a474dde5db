import { EntitySchema } from "typeorm";

/**
 * A browser that has signed in: with a named token (`token_id`, whose role and expiry apply), with API_TOKEN (`root_mark`: a keyed hash of
 * it, so that changing API_TOKEN ends the sign-in), or at an identity provider (`role`, from its claims at that time; `person_id` is
 * derived from issuer and subject). `secret_hash`: SHA-256 of the cookie.
 */
export const signInEntity = new EntitySchema({
  name: "sign_in",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    secret_hash: { type: "bytea" },
    token_id: { type: "uuid", nullable: true },
    root_mark: { type: "bytea", nullable: true },
    role: { type: "text", nullable: true },
    person_id: { type: "uuid", nullable: true },
    name: { type: "text" },
    created_at: { type: "timestamptz", default: () => "now()" },
    expires_at: { type: "timestamptz" },
  },
  checks: [{ name: "sign_in_of_one", expression: "num_nonnulls(token_id, root_mark, role) = 1" }],
  indices: [
    { name: "sign_in_end", columns: ["expires_at"] },
    { name: "sign_in_secret", columns: ["secret_hash"], unique: true },
  ],
  foreignKeys: [
    {
      name: "fk_sign_in_token",
      target: "api_token",
      columnNames: ["token_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});

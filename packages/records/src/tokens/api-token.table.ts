import { EntitySchema } from "typeorm";

/** A named token. `secret_hash`: SHA-256 of the text form of its 32 random bytes; `role`: a value of the contract's `role`. */
export const apiTokenEntity = new EntitySchema({
  name: "api_token",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    name: { type: "text" },
    role: { type: "text" },
    secret_hash: { type: "bytea" },
    made_by: { type: "text" },
    created_at: { type: "timestamptz", default: () => "now()" },
    expires_at: { type: "timestamptz", nullable: true },
    last_used_at: { type: "timestamptz", nullable: true },
    revoked_at: { type: "timestamptz", nullable: true },
    revoked_by: { type: "text", nullable: true },
  },
  indices: [{ name: "api_token_secret", columns: ["secret_hash"], unique: true }],
});

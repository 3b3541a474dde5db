import type { OutgoingHttpHeaders } from "node:http";
import type { Role } from "@web-tester/contracts/entities/role";
import { askExactly } from "./ask-exactly.js";
import type { Product } from "./product.js";
import type { Answer } from "./raw-calls.js";

/** The header for a token; a missing token becomes an invalid one. */
export const bearer = (secret: string | undefined): OutgoingHttpHeaders => ({
  authorization: `Bearer ${secret ?? "none"}`,
});

/** Parses an answer as an object. */
export const bodyOf = (answer: Answer): Record<string, unknown> => JSON.parse(answer.text) as Record<string, unknown>;

/** Sends one call with a token. */
export const askWith = (
  { address }: Product,
  method: string,
  path: string,
  secret: string | undefined,
  body?: unknown,
): Promise<Answer> => askExactly(address, { method, path, headers: bearer(secret), body });

/**
 * Makes a token with a role.
 * @param root the token of whoever makes it
 */
export async function makeToken(
  product: Product,
  root: string,
  { name, role }: { name: string; role: Role },
): Promise<{ id: string; secret: string }> {
  const made = bodyOf(await askWith(product, "POST", "/api/tokens", root, { name, role }));
  return { id: String(made["id"]), secret: String(made["token"]) };
}

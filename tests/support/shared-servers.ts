import { z } from "zod";

/**
 * Address of the servers that `npm test` offers to all suites (infra/local/tests/shared-servers.mjs). Without it each suite starts its
 * own.
 */
const address = process.env["TEST_SHARED_SERVERS"];
export const areServersShared = address !== undefined && process.env["TEST_CONTAINERS"] !== "1";

const sharedProduct = z.object({
  id: z.string(),
  address: z.string(),
  databaseUrl: z.string(),
  natsUrl: z.string(),
  storageUrl: z.string(),
  dataDir: z.string(),
  stateFile: z.string(),
});
export type SharedProduct = z.infer<typeof sharedProduct>;

/**
 * Creates a separate database, migrated and empty.
 * @returns its address
 */
export async function newDatabase(): Promise<string> {
  return z.object({ url: z.string() }).parse(await ask("POST", "/databases")).url;
}

/** Removes a database of `newDatabase`, together with its connections. */
export async function dropDatabase(url: string): Promise<void> {
  await ask("DELETE", `/databases/${new URL(url).pathname.slice(1)}`);
}

/**
 * Takes a running product that nobody else uses.
 * @param env its environment @param kind products of the same kind are interchangeable for a suite
 */
export async function takeProduct(env: NodeJS.ProcessEnv, kind: string): Promise<SharedProduct> {
  return sharedProduct.parse(await ask("POST", "/products", { env, kind }));
}

/**
 * Gives a product back.
 * @param isClean whether another suite may use it
 */
export async function giveBack({ id }: SharedProduct, isClean: boolean): Promise<void> {
  await (isClean ? ask("POST", `/products/${id}/clean`) : ask("DELETE", `/products/${id}`));
}

async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
  const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(`${address ?? ""}${path}`, init);
  if (!response.ok) throw new Error(`The shared servers refused ${method} ${path}: ${await response.text()}`);
  return response.json();
}

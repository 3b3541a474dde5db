import type { TestObject } from "@web-tester/contracts/entities/object";
import { type Call, CannotRun } from "./client.js";

/** Finds a test object by its id, its name, or its address. @throws CannotRun when there is none, or more than one */
export async function findObject(call: Call, named: string): Promise<TestObject> {
  const objects = await call("listTestObjects");
  const address = URL.parse(named)?.href;
  const called = named.normalize("NFC");
  const found =
    [
      objects.filter(({ id }) => id === named),
      objects.filter(({ name }) => name === called),
      objects.filter(({ url }) => url === address),
    ].find((list) => list.length > 0) ?? [];
  const [object, ...others] = found;
  if (object === undefined)
    throw new CannotRun(
      `There is no test object “${named}”. “web-tester objects” lists them, “web-tester add URL” creates one.`,
    );
  if (others.length > 0)
    throw new CannotRun(
      `${found.length} test objects are called “${named}”. Name one by its id: ${found.map(({ id }) => id).join(", ")}.`,
    );
  return object;
}

/** Like `findObject`, but registers an unknown address. @throws CannotRun */
export async function findOrAdd(call: Call, named: string): Promise<TestObject> {
  const url = /^https?:\/\//i.test(named) ? URL.parse(named) : null;
  if (url === null) return findObject(call, named);
  const objects = await call("listTestObjects");
  if (objects.some(({ url: known }) => known === url.href)) return findObject(call, url.href);
  return call("createTestObject", { body: { name: url.host, url: url.href } });
}

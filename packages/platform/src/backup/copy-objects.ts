import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import { headerBytes, openEnvelope, wrap } from "../storage/envelope.js";
import type { ObjectDriver } from "../storage/object-driver.js";
import { hashOfKey, objectKey } from "../storage/object-key.js";
import { createObjectStore } from "../storage/open-object-store.js";

/** A content that has to be in the target, with what its row says it may rest on. */
export interface WantedObject {
  hash: Buffer;
  base: Buffer | null;
}

/** What copying came to; `lost`: in neither of both places, or damaged in both. */
export interface Copied {
  copied: number;
  present: number;
  lost: Buffer[];
}

export interface ObjectCopy {
  source: ObjectDriver;
  target: ObjectDriver;
  wanted: AsyncIterable<WantedObject>;
  signal: AbortSignal;
  onProgress?: (done: number) => void;
}

const maxStoredBytes = budgets.pageMaxBytes + headerBytes;
const atOnce = 8;

/**
 * Brings objects from one place to another. Every one of them, copied now or there already, is read and compared with its
 * hash; what is damaged in the target is written again. An object that rests on another one than its row says is written by
 * itself, so that it can be read with what the rows hold. Cut off, it can be done again: what is there is not copied.
 * @throws AppError unavailable
 */
export async function copyObjects({ source, target, wanted, signal, onProgress }: ObjectCopy): Promise<Copied> {
  const inHand = new Map<string, Buffer>();
  const reading = createObjectStore(overlay(source, inHand));
  const kept = createObjectStore(target);
  const result: Copied = { copied: 0, present: 0, lost: [] };

  async function copy({ hash, base }: WantedObject): Promise<"copied" | "present" | "lost"> {
    const key = objectKey(hash);
    const there = await readable(() => kept.read(hash));
    if (there !== null && (await stored(target, key, base))) return "present";
    const bytes = await readable(() => source.get(key, maxStoredBytes));
    if (bytes !== null) inHand.set(key, bytes);
    const content = (bytes === null ? null : await readable(() => reading.read(hash))) ?? there;
    inHand.delete(key);
    if (content === null) return "lost";
    const asItIs = bytes !== null && restsOn(bytes, base);
    await target.put(key, asItIs ? bytes : await wrap(content));
    return "copied";
  }

  const items = wanted[Symbol.asyncIterator]();
  let done = 0;
  /** Several take from one list. */
  let turn: Promise<unknown> = Promise.resolve();
  const take = () => {
    const next = turn.then(() => items.next());
    turn = next.catch(() => undefined);
    return next;
  };
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (;;) {
        signal.throwIfAborted();
        const next = await take();
        if (next.done === true) return;
        const outcome = await copy(next.value);
        if (outcome === "lost") result.lost.push(next.value.hash);
        else result[outcome] += 1;
        onProgress?.(++done);
      }
    }),
  );
  return result;
}

/** Null where the object is missing or damaged. */
async function readable(read: () => Promise<Buffer | null>): Promise<Buffer | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && (error.code === "content_missing" || error.code === "content_damaged"))
      return null;
    throw error;
  }
}

async function stored(place: ObjectDriver, key: string, base: Buffer | null): Promise<boolean> {
  const bytes = await place.get(key, maxStoredBytes);
  return bytes !== null && restsOn(bytes, base);
}

/** Whether an object can be read with no other than `base`. */
function restsOn(bytes: Buffer, base: Buffer | null): boolean {
  try {
    const needed = openEnvelope(bytes, budgets.pageMaxBytes).base;
    return needed === null || (base !== null && needed.hash.equals(base));
  } catch {
    return false;
  }
}

/** A place in which objects that were read a moment ago are not read again. */
function overlay(driver: ObjectDriver, inHand: ReadonlyMap<string, Buffer>): ObjectDriver {
  return { ...driver, get: async (key, maxBytes) => inHand.get(key) ?? driver.get(key, maxBytes) };
}

/** Removes objects that are not on a list in order of hash; each list is walked once. @returns how many */
export async function removeOthers(place: ObjectDriver, wanted: AsyncIterable<WantedObject>): Promise<number> {
  const names = new Set<string>();
  for await (const { hash } of wanted) names.add(hash.toString("latin1"));
  let removed = 0;
  for await (const { key } of place.list()) {
    const hash = hashOfKey(key);
    if (hash === null || names.has(hash.toString("latin1"))) continue;
    await place.delete(key);
    removed += 1;
  }
  return removed;
}

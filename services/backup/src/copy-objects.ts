import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import { headerBytes, openEnvelope, wrap } from "@web-tester/platform/object-store/envelope";
import type { ObjectDriver } from "@web-tester/platform/object-store/object-driver";
import { hashOfKey, objectKey } from "@web-tester/platform/object-store/content-hash";
import { createObjectStore } from "@web-tester/platform/object-store/open-object-store";

/** A content that has to be in the target, with the base that it may rest on according to its row. */
export interface WantedObject {
  hash: Buffer;
  base: Buffer | null;
  /** Whether it is stored according to its row; even if not, the bytes may be there. */
  stored: boolean;
}

/** A content that its row says is not stored, but that was read intact. Sizes in bytes; null if it is not intact there. */
export interface FoundObject {
  hash: Buffer;
  sizeInSource: number | null;
  sizeInTarget: number;
}

/** The result of copying; `lost`: contents that are missing or damaged in both places. */
export interface Copied {
  copied: number;
  present: number;
  lost: Buffer[];
  found: FoundObject[];
  /** Names of the contents that this copy wrote. */
  written: Set<string>;
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
 * Copies objects from one place to another. Each of them, copied now or already there, is read and compared with its hash; what is damaged
 * in the target is written again. An object that rests on a base other than the one in its row is written without a base, so that it can be
 * read with what the rows hold. If interrupted, it can be started again: what is already there is not copied.
 * @throws AppError unavailable
 */
export async function copyObjects({ source, target, wanted, signal, onProgress }: ObjectCopy): Promise<Copied> {
  const result: Copied = { copied: 0, present: 0, lost: [], found: [], written: new Set() };
  const copy = createCopying(source, target, result);
  const take = oneAfterTheOther(wanted);
  let done = 0;
  const work = async () => {
    for (;;) {
      signal.throwIfAborted();
      const next = await take();
      if (next.done === true) return;
      const outcome = await copy(next.value);
      if (outcome === "lost") result.lost.push(next.value.hash);
      else result[outcome] += 1;
      onProgress?.(++done);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return result;
}

type Outcome = "copied" | "present" | "lost";

/** @returns a function that copies one object, and notes in `result` what was found in the target and what was written there */
function createCopying(source: ObjectDriver, target: ObjectDriver, result: Copied) {
  const inHand = new Map<string, Buffer>();
  const reading = createObjectStore(overlay(source, inHand));
  const kept = createObjectStore(target);
  return async ({ hash, base, stored }: WantedObject): Promise<Outcome> => {
    const key = objectKey(hash);
    const there = await readable(() => kept.read(hash));
    const sizeThere = there === null ? null : await sizeIfResting(target, key, base);
    if (sizeThere !== null && stored) return "present";
    const bytes = await readable(() => source.get(key, maxStoredBytes));
    if (bytes !== null) inHand.set(key, bytes);
    const given = bytes === null ? null : await readable(() => reading.read(hash));
    inHand.delete(key);
    const content = given ?? there;
    if (content === null) return "lost";
    const asItIs = bytes !== null && given !== null && restsOn(bytes, base);
    const written = sizeThere === null ? (asItIs ? bytes : await wrap(content)) : null;
    if (!stored)
      result.found.push({
        hash,
        sizeInSource: asItIs ? bytes.length : null,
        sizeInTarget: sizeThere ?? written?.length ?? 0,
      });
    if (written === null) return "present";
    await target.put(key, written);
    result.written.add(nameOf(hash));
    return "copied";
  };
}

/** Returns a function that takes the next item of a list; concurrent callers get one item each, in order. */
function oneAfterTheOther<Item>(list: AsyncIterable<Item>): () => Promise<IteratorResult<Item>> {
  const items = list[Symbol.asyncIterator]();
  let turn: Promise<unknown> = Promise.resolve();
  return () => {
    const next = turn.then(() => items.next());
    turn = next.catch(() => undefined);
    return next;
  };
}

/** Returns null if the object is missing or damaged. */
async function readable(read: () => Promise<Buffer | null>): Promise<Buffer | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && (error.code === "content_missing" || error.code === "content_damaged"))
      return null;
    throw error;
  }
}

/** Returns the size of an object if it can be read with no other object than `base`, otherwise null. */
async function sizeIfResting(place: ObjectDriver, key: string, base: Buffer | null): Promise<number | null> {
  const bytes = await place.get(key, maxStoredBytes);
  return bytes !== null && restsOn(bytes, base) ? bytes.length : null;
}

/** Whether an object can be read with no other object than `base`. */
function restsOn(bytes: Buffer, base: Buffer | null): boolean {
  try {
    const needed = openEnvelope(bytes, budgets.pageMaxBytes).base;
    return needed === null || (base !== null && needed.hash.equals(base));
  } catch {
    return false;
  }
}

/** Wraps a place so that objects in `inHand`, which were just read, are not read again. */
function overlay(driver: ObjectDriver, inHand: ReadonlyMap<string, Buffer>): ObjectDriver {
  return { ...driver, get: async (key, maxBytes) => inHand.get(key) ?? driver.get(key, maxBytes) };
}

function nameOf(hash: Buffer): string {
  return hash.toString("latin1");
}

/** Returns the base that an object really rests on, whatever its row says; null if it rests on nothing, or is not there. */
async function baseOf(place: ObjectDriver, hash: Buffer): Promise<Buffer | null> {
  const bytes = await readable(() => place.get(objectKey(hash), maxStoredBytes));
  try {
    return bytes === null ? null : (openEnvelope(bytes, budgets.pageMaxBytes).base?.hash ?? null);
  } catch {
    return null;
  }
}

export interface Kept {
  /** All objects of the current list. Those that were copied rest only on others of the list. */
  listed: AsyncIterable<WantedObject>;
  /** Further objects to keep, with everything that they rest on. */
  others: AsyncIterable<WantedObject>;
  /** Objects of the list that could not be copied: whatever the target has of them stays, with everything that it rests on. */
  lost: readonly Buffer[];
}

/** Removes objects that nothing needs; each list is read once. @returns how many were removed */
export async function removeOthers(place: ObjectDriver, { listed, others, lost }: Kept): Promise<number> {
  const names = new Set<string>();
  for await (const { hash } of listed) names.add(nameOf(hash));
  const resting = [...lost];
  const keep = (hash: Buffer) => {
    if (names.has(nameOf(hash))) return;
    names.add(nameOf(hash));
    resting.push(hash);
  };
  for await (const { hash } of others) keep(hash);
  for (let hash = resting.pop(); hash !== undefined; hash = resting.pop()) {
    const base = await baseOf(place, hash);
    if (base !== null) keep(base);
  }
  let removed = 0;
  for await (const { key } of place.list()) {
    const hash = hashOfKey(key);
    if (hash === null || names.has(nameOf(hash))) continue;
    await place.delete(key);
    removed += 1;
  }
  return removed;
}

/**
 * Checks once more that all objects of a list are there: those written now are read; for the others, which were read before, it is only
 * checked that they exist.
 * @returns the hashes of the missing ones
 */
export async function findMissing(
  place: ObjectDriver,
  wanted: AsyncIterable<WantedObject>,
  written: ReadonlySet<string>,
): Promise<Buffer[]> {
  const there = new Set<string>();
  for await (const { key } of place.list()) {
    const hash = hashOfKey(key);
    if (hash !== null) there.add(nameOf(hash));
  }
  // a new store, which has cached nothing that was read before
  const store = createObjectStore(place);
  const missing: Buffer[] = [];
  for await (const { hash, base } of wanted) {
    const isThere =
      there.has(nameOf(hash)) && (base === null || there.has(nameOf(base)) || (await isAlone(place, hash)));
    const isWhole = isThere && (!written.has(nameOf(hash)) || (await readable(() => store.read(hash))) !== null);
    if (!isWhole) missing.push(hash);
  }
  return missing;
}

async function isAlone(place: ObjectDriver, hash: Buffer): Promise<boolean> {
  return (await baseOf(place, hash)) === null;
}

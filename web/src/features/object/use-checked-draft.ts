import type { TestObject } from "@web-tester/contracts/entities/object";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { mergeRead } from "../../api/live/progress.js";
import {
  applyDraft,
  conflictsOf,
  type Draft,
  type EditedKey,
  keepMine,
  type Stored,
  takeStored,
  withEdits,
} from "./drafts.js";

/** Puts an object as read or saved just now into the cache, without taking its bars back. */
export const cacheObject = (client: QueryClient, object: TestObject): void => {
  client.setQueryData<TestObject | null>(keys.testObject(object.id), (known) => mergeRead(known ?? undefined, object));
};

/**
 * Reads the object as it is stored now, past the cache, which would hand out the answer to a read that began before others saved.
 * @returns the object, and whether what a draft edits was saved elsewhere since: then nothing should be saved before a person has chosen
 */
export async function readBeforeSaving(
  client: QueryClient,
  object: TestObject,
  draft: Draft | undefined,
  storedOf: (object: TestObject) => Stored,
): Promise<{ fresh: TestObject; isInConflict: boolean }> {
  const read = await call("getTestObject", { params: { id: object.id } });
  const fresh = Array.isArray(read) ? object : read;
  const isInConflict = conflictsOf(draft, storedOf(fresh)).length > 0;
  if (isInConflict) cacheObject(client, fresh);
  return { fresh, isInConflict };
}

/** State of a form of some values of an object: what was edited here, and what of it was saved elsewhere meanwhile. */
export function useCheckedDraft<S extends Stored>(object: TestObject, storedOf: (object: TestObject) => S) {
  const client = useQueryClient();
  const [draft, setDraft] = useState<Draft>();
  const stored = storedOf(object);
  return {
    values: applyDraft(draft, stored),
    /** The same letter by letter, also where what was typed means what is stored, such as an empty line more. */
    typed: { ...stored, ...draft?.values },
    edit: (part: Partial<S>) => setDraft((now) => withEdits(now, stored, part)),
    reset: () => setDraft(undefined),
    conflicts: {
      stored,
      names: conflictsOf(draft, stored),
      onKeep: (name: EditedKey) => setDraft((now) => now && keepMine(now, stored, name)),
      onTake: (name: EditedKey) => setDraft((now) => now && takeStored(now, name)),
    },
    /** Reads what is stored now; undefined where that is in conflict with the edits, which the form then shows. */
    check: async () => {
      if (draft === undefined) return { fresh: object, before: stored, values: stored };
      const { fresh, isInConflict } = await readBeforeSaving(client, object, draft, storedOf);
      if (isInConflict) return undefined;
      const before = storedOf(fresh);
      return { fresh, before, values: applyDraft(draft, before) };
    },
  };
}

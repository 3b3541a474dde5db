import type { Options } from "./options.js";

/** Unsaved edits by test object, kept until this tab is closed, so that visiting another screen loses nothing. */
const drafts = new Map<string, Partial<Options>>();

/**
 * Remembers unsaved edits.
 * @param draft undefined: nothing is unsaved
 */
export function keepDraft(objectId: string, draft: Partial<Options> | undefined): void {
  if (draft === undefined) drafts.delete(objectId);
  else drafts.set(objectId, draft);
}

export const draftOf = (objectId: string): Partial<Options> | undefined => drafts.get(objectId);

import type { Options } from "./options.js";

/** What was touched and not saved, by test object, as long as this tab is open: another screen in between loses nothing. */
const drafts = new Map<string, Partial<Options>>();

/** @param draft undefined: there is nothing to be saved */
export function keepDraft(objectId: string, draft: Partial<Options> | undefined): void {
  if (draft === undefined) drafts.delete(objectId);
  else drafts.set(objectId, draft);
}

export const draftOf = (objectId: string): Partial<Options> | undefined => drafts.get(objectId);

import { type Options, sameOption } from "./options.js";

export type OptionKey = keyof Options;

/** Unsaved edits of an object's options. */
export interface Draft {
  /** The edited values. */
  readonly values: Partial<Options>;
  /** For each edited value, the one that was stored when it was first edited here. */
  readonly seen: Partial<Options>;
}

const namesIn = (part: Partial<Options>) => Object.keys(part) as OptionKey[];

const isEdited = (draft: Draft | undefined, name: OptionKey) =>
  draft !== undefined && name in draft.values && !sameOption(name, draft.values[name], draft.seen[name]);

/** Adds edits to a draft. @param stored the options as stored now, as far as this window knows */
export function withEdits(draft: Draft | undefined, stored: Options, part: Partial<Options>): Draft {
  const first = namesIn(part).filter((name) => !isEdited(draft, name));
  return {
    values: { ...draft?.values, ...part },
    seen: { ...draft?.seen, ...Object.fromEntries(first.map((name) => [name, stored[name]])) },
  };
}

/** The options with the edits of a draft. What was set back to the value found here is no edit, so that it undoes nothing of others. */
export function applyDraft(draft: Draft | undefined, stored: Options): Options {
  if (draft === undefined) return stored;
  const edited = namesIn(draft.values).filter((name) => isEdited(draft, name));
  return { ...stored, ...Object.fromEntries(edited.map((name) => [name, draft.values[name]])) };
}

/** The options that were edited here, and meanwhile stored with another value elsewhere. */
export function conflictsOf(draft: Draft | undefined, stored: Options): OptionKey[] {
  if (draft === undefined) return [];
  const options = applyDraft(draft, stored);
  return namesIn(draft.seen).filter(
    (name) => !sameOption(name, draft.seen[name], stored[name]) && !sameOption(name, options[name], stored[name]),
  );
}

/** Settles a conflict in favour of the value edited here. */
export const keepMine = (draft: Draft, stored: Options, name: OptionKey): Draft => ({
  ...draft,
  seen: { ...draft.seen, [name]: stored[name] },
});

/** Settles a conflict in favour of the value stored elsewhere. */
export const takeStored = (draft: Draft, name: OptionKey): Draft | undefined => {
  const names = namesIn(draft.values).filter((one) => one !== name);
  return names.length === 0 ? undefined : only(draft, names);
};

/**
 * What is still unsaved after `edited` was saved: the edits made since then.
 * @param sent the options as saved
 * @returns undefined where there are none
 */
export function touchedSince(edited: Draft | undefined, sent: Options, now: Draft | undefined): Draft | undefined {
  if (now === undefined) return undefined;
  const names = namesIn(now.values).filter((name) => !sameOption(name, now.values[name], edited?.values[name]));
  return names.length === 0 ? undefined : only({ values: now.values, seen: sent }, names);
}

function only({ values, seen }: Draft, names: readonly OptionKey[]): Draft {
  const pick = (part: Partial<Options>) => Object.fromEntries(names.map((name) => [name, part[name]]));
  return { values: pick(values), seen: pick(seen) };
}

/** Unsaved edits by test object, kept until this tab is closed, so that visiting another screen loses nothing. */
const drafts = new Map<string, Draft>();

/**
 * Remembers unsaved edits.
 * @param draft undefined: nothing is unsaved
 */
export function keepDraft(objectId: string, draft: Draft | undefined): void {
  if (draft === undefined) drafts.delete(objectId);
  else drafts.set(objectId, draft);
}

export const draftOf = (objectId: string): Draft | undefined => drafts.get(objectId);

import { type Options, sameOption, type SecretKey, type StoredOptions } from "./options.js";

/** What forms edit of an object: its options, and what the dialog of its name and address and the card of its sitemaps edit. */
type Edited = Options & { readonly name: string; readonly url: string; readonly sitemaps: string };
export type EditedKey = keyof Edited;

/** The same, as stored, as far as a form edits it. */
export type Stored = Partial<Edited> & Partial<Pick<StoredOptions, "versions">>;

/** Unsaved edits of an object. */
export interface Draft {
  /** The edited values. */
  readonly values: Partial<Edited>;
  /** For each edited value, the one that was stored when it was first edited here. */
  readonly seen: Partial<Edited>;
  /** For each edited value that is never shown, its version of that time. */
  readonly versions: Partial<StoredOptions["versions"]>;
}

const namesIn = (part: Partial<Edited>) => Object.keys(part) as EditedKey[];

const secretKeys: readonly EditedKey[] = ["secret", "headers", "login"];
const isSecret = (name: EditedKey): name is SecretKey => secretKeys.includes(name);

const isEdited = (draft: Draft | undefined, name: EditedKey) =>
  draft !== undefined && name in draft.values && !sameOption(name, draft.values[name], draft.seen[name]);

/** Adds edits to a draft. @param stored what is stored now, as far as this window knows */
export function withEdits(draft: Draft | undefined, stored: Stored, part: Partial<Edited>): Draft {
  const first = namesIn(part).filter((name) => !isEdited(draft, name));
  const seen = seenNow(stored, first);
  return {
    values: { ...draft?.values, ...part },
    seen: { ...draft?.seen, ...seen.seen },
    versions: { ...draft?.versions, ...seen.versions },
  };
}

const seenNow = (stored: Stored, names: readonly EditedKey[]): Pick<Draft, "seen" | "versions"> => ({
  seen: Object.fromEntries(names.map((name) => [name, stored[name]])),
  versions: Object.fromEntries(names.filter(isSecret).map((name) => [name, stored.versions?.[name]])),
});

/** What is stored with the edits of a draft. What was set back to the value found here is no edit, so that it undoes nothing of others. */
export function applyDraft<S extends Stored>(draft: Draft | undefined, stored: S): S {
  if (draft === undefined) return stored;
  const edited = namesIn(draft.values).filter((name) => isEdited(draft, name));
  return { ...stored, ...Object.fromEntries(edited.map((name) => [name, draft.values[name]])) };
}

/** What was edited here, and meanwhile stored with another value elsewhere. */
export function conflictsOf(draft: Draft | undefined, stored: Stored): EditedKey[] {
  if (draft === undefined) return [];
  const options = applyDraft(draft, stored);
  return namesIn(draft.seen).filter((name) => {
    if (isSecret(name)) return isEdited(draft, name) && draft.versions[name] !== stored.versions?.[name];
    return !sameOption(name, draft.seen[name], stored[name]) && !sameOption(name, options[name], stored[name]);
  });
}

/** Settles a conflict in favour of the value edited here. */
export function keepMine(draft: Draft, stored: Stored, name: EditedKey): Draft {
  const { seen, versions } = seenNow(stored, [name]);
  return { ...draft, seen: { ...draft.seen, ...seen }, versions: { ...draft.versions, ...versions } };
}

/** Settles a conflict in favour of the value stored elsewhere. */
export const takeStored = (draft: Draft, name: EditedKey): Draft | undefined => {
  const names = namesIn(draft.values).filter((one) => one !== name);
  return names.length === 0 ? undefined : only(draft, names);
};

/**
 * What is still unsaved after `edited` was saved: the edits made since then.
 * @param sent what is stored now: the options as saved, with their versions
 * @returns undefined where there are none
 */
export function touchedSince(edited: Draft | undefined, sent: Stored, now: Draft | undefined): Draft | undefined {
  if (now === undefined) return undefined;
  const names = namesIn(now.values).filter((name) => !sameOption(name, now.values[name], edited?.values[name]));
  return names.length === 0 ? undefined : only({ values: now.values, ...seenNow(sent, names) }, names);
}

function only({ values, seen, versions }: Draft, names: readonly EditedKey[]): Draft {
  const pick = <T extends object>(part: T): Partial<T> =>
    Object.fromEntries(Object.entries(part).filter(([name]) => names.some((one) => one === name))) as Partial<T>;
  return { values: pick(values), seen: pick(seen), versions: pick(versions) };
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

import { useSyncExternalStore } from "react";

const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];

/** Texts by their English; English itself needs none. */
type Catalogue = Readonly<Record<string, string>>;

/** Each language's catalogue is a file of its own that only its readers load. */
const catalogues: Record<Language, () => Promise<Catalogue>> = {
  en: () => Promise.resolve({}),
  de: async () => (await import("./de.json", { with: { type: "json" } })).default,
};

const rememberedKey = "web-tester-language";

let current: Language = "en";
let catalogue: Catalogue = {};
const listeners = new Set<() => void>();

/** What the reader's language says for an English text; undefined where that is the text itself. */
export const inCatalogue = (english: string): string | undefined => catalogue[english];

/** The language that is shown now, for what runs outside of components. */
export const language = (): Language => current;

/** The other language, for the switch. */
export const otherLanguage = (): Language => (current === "en" ? "de" : "en");

const isLanguage = (text: string | null): text is Language => languages.some((name) => name === text);

/** The first of the browser's languages that there is a catalogue for. */
export const languageOf = (wanted: readonly string[]): Language =>
  wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => isLanguage(tag)) ?? "en";

/** The reader's own region of the language that is shown, which says how numbers look. */
export const locale = (): string =>
  globalThis.navigator?.languages?.find((tag) => tag.toLowerCase().startsWith(`${current}-`) && isTag(tag)) ??
  (current === "en" ? "en-US" : current);

/** A browser without a language of its own takes the machine's, which may be named `en-US@posix`: nothing that numbers can be written in. */
function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function remembered(): string | null {
  try {
    return localStorage.getItem(rememberedKey);
  } catch {
    // Storage may be switched off; the browser's choice then holds.
    return null;
  }
}

/** Shows the remembered language, or else the browser's. English where its catalogue cannot be loaded. */
export function startLanguage(): Promise<void> {
  const kept = remembered();
  return show(isLanguage(kept) ? kept : languageOf(navigator.languages)).catch(() => undefined);
}

/**
 * Switches and remembers; what the browser prefers anyway is followed again instead.
 * @throws where the catalogue cannot be loaded: then nothing has changed, and trying again helps
 */
export async function chooseLanguage(wanted: Language): Promise<void> {
  await show(wanted);
  try {
    if (wanted === languageOf(navigator.languages)) localStorage.removeItem(rememberedKey);
    else localStorage.setItem(rememberedKey, wanted);
  } catch {
    // It then holds until the page is left.
  }
}

async function show(wanted: Language): Promise<void> {
  catalogue = await catalogues[wanted]();
  current = wanted;
  document.documentElement.lang = wanted;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The language on screen; the application is drawn anew when it changes. */
export const useLanguage = (): Language => useSyncExternalStore(subscribe, language);

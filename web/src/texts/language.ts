import { useSyncExternalStore } from "react";

const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];

/** Translations by their English text; English itself needs none. */
type Catalogue = Readonly<Record<string, string>>;

/** Each language's catalogue is a separate file that is loaded only for its readers. */
const catalogues: Record<Language, () => Promise<Catalogue>> = {
  en: () => Promise.resolve({}),
  de: async () => (await import("./de.json", { with: { type: "json" } })).default,
};

const rememberedKey = "web-tester-language";

let current: Language = "en";
let catalogue: Catalogue = {};
const listeners = new Set<() => void>();

/** The translation of an English text; undefined where there is none, as in English. */
export const inCatalogue = (english: string): string | undefined => catalogue[english];

/** The current language, for code outside of components. */
export const language = (): Language => current;

/** The other language, for the switch. */
export const otherLanguage = (): Language => (current === "en" ? "de" : "en");

const isLanguage = (text: string | null): text is Language => languages.some((name) => name === text);

/** The first of the browser's languages that the product has, else English. */
export const languageOf = (wanted: readonly string[]): Language =>
  wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => isLanguage(tag)) ?? "en";

/** The reader's regional variant of the current language, which decides how numbers look. */
export const locale = (): string =>
  globalThis.navigator?.languages?.find((tag) => tag.toLowerCase().startsWith(`${current}-`) && isTag(tag)) ??
  (current === "en" ? "en-US" : current);

/**
 * Whether numbers can be formatted in a language tag: a browser without a language of its own takes the machine's, such as
 * `en-US@posix`, which is invalid.
 */
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
    // Storage may be switched off; then the browser's preference counts.
    return null;
  }
}

/** Shows the remembered language, else the browser's; English where the catalogue cannot be loaded. */
export function startLanguage(): Promise<void> {
  const kept = remembered();
  return show(isLanguage(kept) ? kept : languageOf(navigator.languages)).catch(() => undefined);
}

/**
 * Switches the language and remembers it; a choice equal to the browser's preference is not stored, so that the preference is followed
 * again.
 * @throws where the catalogue cannot be loaded: then nothing has changed, and trying again may help
 */
export async function chooseLanguage(wanted: Language): Promise<void> {
  await show(wanted);
  try {
    if (wanted === languageOf(navigator.languages)) localStorage.removeItem(rememberedKey);
    else localStorage.setItem(rememberedKey, wanted);
  } catch {
    // Without storage the choice lasts until the page is left.
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

/** The language on screen; components that use it render again when it changes. */
export const useLanguage = (): Language => useSyncExternalStore(subscribe, language);

import { messageOf } from "../../api/api-error.js";
import { chooseLanguage, type Language, otherLanguage } from "../../texts/language.js";
import { toast } from "../../ui/toasts/toasts.js";

/** The name of each language in that language, by which its readers recognise it. */
export const languageNames: Readonly<Record<Language, string>> = { en: "English", de: "Deutsch" };

/** Switches to the other language. */
export const switchLanguage = (): void => {
  chooseLanguage(otherLanguage()).catch((error: unknown) => toast("error", messageOf(error)));
};

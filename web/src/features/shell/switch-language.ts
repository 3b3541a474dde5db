import { messageOf } from "../../api/api-error.js";
import { chooseLanguage, type Language, otherLanguage } from "../../texts/language.js";
import { toast } from "../../ui/toasts/toasts.js";

/** Each language in its own words: that is how its readers look for it. */
export const languageNames: Readonly<Record<Language, string>> = { en: "English", de: "Deutsch" };

/** Shows the other language from now on. */
export const switchLanguage = (): void => {
  chooseLanguage(otherLanguage()).catch((error: unknown) => toast("error", messageOf(error)));
};

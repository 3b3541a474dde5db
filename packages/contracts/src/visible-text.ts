import { z } from "zod";

/** What leaves no mark on a screen: spaces, controls, what Unicode lets programs ignore (zero-width characters, fillers), an empty Braille cell. */
const seen = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]/u;

/** Whether a text has a character that can be seen. */
export const isVisible = (text: string): boolean => seen.test(text);

/**
 * Schema of a name, or of a text that is looked for in names. A letter with an accent can also be written as a letter followed by an accent,
 * as file names of macOS are: both are stored and compared as one letter (Unicode NFC).
 */
export const nameText = (): z.ZodString => z.string().normalize("NFC");

/**
 * Schema of a short text by which people find a thing again: a name, a label.
 * @param asked message where it is empty, or looks empty
 */
export const visibleText = (maxChars: number, asked: string): z.ZodString =>
  nameText()
    .trim()
    .min(1, { error: asked, abort: true })
    .refine(isVisible, { error: asked, abort: true })
    .max(maxChars);

import { assertNever } from "@web-tester/contracts/assert-never";
import type { ContentForm, FormChoice } from "@web-tester/contracts/entities/vocabulary";
import { keptFormattedLines } from "@web-tester/html/forms/kept-forms";
import { textForm } from "@web-tester/html/forms/text-form";

/** UTF-16 units from which a line is too long to say anything as a whole. */
const longLine = 1_000;
/** The share of a page in long lines beyond which comparing it by line says little. */
const longShare = 0.3;

/** Returns a page in one of its forms. */
export function inForm(html: string, form: ContentForm): string {
  switch (form) {
    case "source":
      return html;
    case "formatted":
      return keptFormattedLines(html).text;
    case "text":
      return textForm(html);
    default:
      return assertNever(form);
  }
}

/** Chooses the form in which two pages are compared: the same for both. */
export function chooseForm(choice: FormChoice, pages: readonly string[]): ContentForm {
  if (choice !== "auto") return choice;
  return pages.some(hasLongLines) ? "formatted" : "source";
}

function hasLongLines(html: string): boolean {
  let inLong = 0;
  for (let from = 0; from < html.length;) {
    const newline = html.indexOf("\n", from);
    const end = newline === -1 ? html.length : newline + 1;
    if (end - from > longLine) inLong += end - from;
    from = end;
  }
  return inLong > html.length * longShare;
}

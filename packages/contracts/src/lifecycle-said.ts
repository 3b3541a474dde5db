/**
 * How it is known what became of a page, in the product's words. Events are stored with the text, `{at}` filled in; screens find the code
 * by the text, so that older events are shown in the reader's language too.
 */
export const lifecycleSaid = {
  canonical: "its canonical address",
  redirected: "redirected",
  same: "the same content",
  linkedAgain: "linked again",
  answersAgain: "it answers again",
  goneSince: "it was gone since {at}",
  hiddenAgain: "hidden again, it was linked since {at}",
  failedOnce: "it failed and answered when looked at again",
  changedOnce: "it changed and was as before when looked at again",
} as const;

const place = "{at}";

/** Fills a time into a text that has a place for it; to the minute, in UTC, as everybody reads the same text. */
export const saidAt = (code: "goneSince" | "hiddenAgain", time: Date): string =>
  lifecycleSaid[code].replace(place, `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`);

/**
 * Finds the code of a stored text, and the time in it.
 * @returns undefined for other texts, such as `HTTP 404`
 */
export function readSaid(text: string): { code: string; at: Date | null } | undefined {
  for (const [code, template] of Object.entries(lifecycleSaid)) {
    const [before = "", after] = template.split(place);
    if (after === undefined) {
      if (text === template) return { code, at: null };
    } else if (text.startsWith(before)) {
      const [, day, minute] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC$/.exec(text.slice(before.length)) ?? [];
      if (day !== undefined) return { code, at: new Date(`${day}T${minute}:00Z`) };
    }
  }
  return undefined;
}

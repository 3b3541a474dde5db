const reasonsMax = 50;
const shownMaxChars = 200;

/** Counts, by reason, the parts of a web archive that do not become history. */
export class LeftOut {
  private readonly reasons = new Map<string, { count: number; first: string }>();
  private readonly sentences: string[] = [];

  /**
   * Counts one part that is left out.
   * @param reason what is counted, in the plural @param what its address
   */
  add(reason: string, what: string): void {
    const known = this.reasons.get(reason);
    if (known !== undefined) known.count += 1;
    else if (this.reasons.size < reasonsMax)
      this.reasons.set(reason, { count: 1, first: what.slice(0, shownMaxChars) });
  }

  /** Counts one part like `add` and returns null, for callers that have nothing to use instead. */
  none(reason: string, what: string): null {
    this.add(reason, what);
    return null;
  }

  /** Adds a sentence that people should read besides the counts. */
  say(sentence: string): void {
    if (this.sentences.length < reasonsMax) this.sentences.push(sentence);
  }

  /** All sentences: those that were added, and one for each reason. */
  words(): string[] {
    return [...this.sentences, ...this.counted()];
  }

  private counted(): string[] {
    return [...this.reasons].map(
      ([reason, { count, first }]) =>
        `Left out: ${count.toLocaleString("en-US")} ${reason}${first === "" ? "" : ` (the first: ${first})`}.`,
    );
  }
}

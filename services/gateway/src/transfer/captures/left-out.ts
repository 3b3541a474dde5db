const reasonsMax = 50;
const shownMaxChars = 200;

/** What of a web archive does not become history, counted by reason. */
export class LeftOut {
  private readonly reasons = new Map<string, { count: number; first: string }>();
  private readonly sentences: string[] = [];

  /** @param reason what is behind the number, in the plural @param what the address */
  add(reason: string, what: string): void {
    const known = this.reasons.get(reason);
    if (known !== undefined) known.count += 1;
    else if (this.reasons.size < reasonsMax)
      this.reasons.set(reason, { count: 1, first: what.slice(0, shownMaxChars) });
  }

  /** The same, for who gives nothing in place of it. */
  none(reason: string, what: string): null {
    this.add(reason, what);
    return null;
  }

  /** What a person has to know beside it. */
  say(sentence: string): void {
    if (this.sentences.length < reasonsMax) this.sentences.push(sentence);
  }

  /** A sentence for each reason. */
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

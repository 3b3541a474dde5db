/** What a person expects of a section of a site: one line of an object's options. */
export interface Expected {
  /** Prefix of the section's paths; `*`: every section that no line names. */
  section: string;
  /** The limit; null: nothing is reported about the section. */
  most: number | null;
}

const hour = 3_600;
const seconds: Readonly<Record<string, number>> = { h: hour, d: 24 * hour, w: 7 * 24 * hour };

/** Parses a line such as `/shop/ 20`: at most this many pages of this section change in one fetch. Returns null for anything else. */
export function readBudget(line: string): Expected | null {
  const [, section, most] = /^(\/\S*|\*)\s+(\d{1,7}|off)$/.exec(line) ?? [];
  return section === undefined || most === undefined ? null : { section, most: most === "off" ? null : Number(most) };
}

/** Parses a line such as `/news/ 3 days`: something in this section changes at least so often. `most`: seconds. Returns null for anything else. */
export function readSilence(line: string): Expected | null {
  const found = /^(\/\S*|\*)\s+(?:off|([1-9]\d{0,3})\s*(h(?:ours?)?|d(?:ays?)?|w(?:eeks?)?))$/.exec(line);
  if (found === null) return null;
  const [, section = "", amount, unit = "h"] = found;
  return { section, most: amount === undefined ? null : Number(amount) * (seconds[unit.charAt(0)] ?? hour) };
}

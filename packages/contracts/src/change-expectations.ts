/** What somebody expects of a section of a site: lines of an object's options. */
export interface Expected {
  /** What the section's paths begin with; `*`: every section that no line names. */
  section: string;
  /** How much; null: nothing is told of it. */
  most: number | null;
}

const hour = 3_600;
const seconds: Readonly<Record<string, number>> = { h: hour, d: 24 * hour, w: 7 * 24 * hour };

/** A line such as `/shop/ 20`: of this section at most so many pages change at one fetch. null where it is none. */
export function readBudget(line: string): Expected | null {
  const [, section, most] = /^(\/\S*|\*)\s+(\d{1,7}|off)$/.exec(line) ?? [];
  return section === undefined || most === undefined ? null : { section, most: most === "off" ? null : Number(most) };
}

/** A line such as `/news/ 3 days`: something of this section changes so often. `most`: seconds. null where it is none. */
export function readSilence(line: string): Expected | null {
  const found = /^(\/\S*|\*)\s+(?:off|([1-9]\d{0,3})\s*(h(?:ours?)?|d(?:ays?)?|w(?:eeks?)?))$/.exec(line);
  if (found === null) return null;
  const [, section = "", amount, unit = "h"] = found;
  return { section, most: amount === undefined ? null : Number(amount) * (seconds[unit.charAt(0)] ?? hour) };
}

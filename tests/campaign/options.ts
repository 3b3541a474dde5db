import { parseArgs } from "node:util";
import { allFaults } from "./faults/all-faults.ts";
import type { Fault } from "./faults/fault.ts";
import { sabotages } from "./faults/sabotage.ts";

export interface Options {
  seed: string;
  faults: readonly Fault[];
  rounds: number;
  lanes: number;
  pages: number;
  /** After this many minutes no further round begins. */
  minutes: number;
  old: string | undefined;
  results: string | undefined;
  /** Counts the rounds without findings that an earlier run with the seed left in the folder of results, instead of running them again. */
  resume: boolean;
  /** Keeps the folders of lanes in which a round failed. */
  keep: boolean;
}

const help = `npm run campaign -- [option …]
  --seed TEXT      the same seed draws the same acts, victims and moments (default: a new one, which is printed)
  --faults A,B     only these (default: all): ${allFaults.map(({ name }) => name).join(" ")}
  --rounds N       of each fault (default 25)
  --lanes N        products at once (default 4)
  --pages N        of the site, at least (default 500)
  --minutes N      begin no round after so many (default 600)
  --old PATH|REV   the older version of rolling-version: a built checkout, or a revision (default: the newest tag, else HEAD~20)
  --results FOLDER where rounds.jsonl and the logs of failed rounds go (default: .cache/campaign/SEED)
  --resume         go on where an earlier run of this seed was stopped: its rounds without findings count
  --keep           leave the folders of lanes in which a round failed`;

/** @throws Error with a message for the user: what is wrong with the options, or the help if that was asked for */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: "string" },
      faults: { type: "string" },
      rounds: { type: "string", default: "25" },
      lanes: { type: "string", default: "4" },
      pages: { type: "string", default: "500" },
      minutes: { type: "string", default: "600" },
      old: { type: "string" },
      results: { type: "string" },
      resume: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) throw new Error(help);
  const number = (name: "rounds" | "lanes" | "pages" | "minutes", most: number) => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1 || value > most)
      throw new Error(`--${name} must be a whole number from 1 to ${most}.`);
    return value;
  };
  const named = values.faults?.split(",").map((name) => {
    const fault = [...allFaults, ...sabotages].find((one) => one.name === name.trim());
    if (fault === undefined) throw new Error(`There is no fault "${name}".\n\n${help}`);
    return fault;
  });
  return {
    seed: values.seed ?? String(Date.now() % 1_000_000),
    faults: named ?? allFaults,
    rounds: number("rounds", 10_000),
    lanes: number("lanes", 32),
    pages: number("pages", 20_000),
    minutes: number("minutes", 10_000),
    old: values.old,
    results: values.results,
    resume: values.resume,
    keep: values.keep,
  };
}

/** Code put at the start of a file (an existing one, or a new one) of a copy of the tree. */
export interface Plant {
  why: string;
  file: string;
  code: string;
}

/** `says`: part of what the lint must say about it. */
export type Violation = Plant & { says: string };

/** Code that imports from somewhere and uses it. */
export const imports = (from: string) => `import { planted } from "${from}";\nexport const plantedUse = planted;`;

/** A violation by one import. */
export const row = (why: string, file: string, from: string, says: string): Violation => ({
  why,
  file,
  code: imports(from),
  says,
});

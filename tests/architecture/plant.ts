/** Code that is put at the start of a file, existing or new, in a copy of the tree. */
export interface Plant {
  why: string;
  file: string;
  code: string;
}

/** A plant that the lint must refuse; `says` is a part of the message that it must give. */
export type Violation = Plant & { says: string };

/** Code that imports a name from a module and uses it. */
export const imports = (from: string) => `import { planted } from "${from}";\nexport const plantedUse = planted;`;

/** A violation that consists of one import. */
export const row = (why: string, file: string, from: string, says: string): Violation => ({
  why,
  file,
  code: imports(from),
  says,
});

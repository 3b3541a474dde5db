/** What an export has to do without, because the object store has lost it or returns it damaged. */
export class LeftOut {
  #snapshots = 0;
  readonly #files = new Set<string>();

  /** Notes a snapshot whose page cannot be read. */
  snapshot(): void {
    this.#snapshots++;
  }

  /** Notes a file that cannot be read, however many pages need it. @param hash of its content, in hex */
  file(hash: string): void {
    this.#files.add(hash);
  }

  /** How much it is; null where nothing is left out. */
  get total(): number | null {
    const total = this.#snapshots + this.#files.size;
    return total === 0 ? null : total;
  }

  /** What is said of it at the end of the file; null where nothing is left out. */
  get said(): string | null {
    if (this.total === null) return null;
    const pages = counted(this.#snapshots, "snapshot has no page", "snapshots have no page");
    const files = counted(this.#files.size, "file is missing", "files are missing");
    const what = [pages, files].filter((words) => words !== null).join(", and ");
    return `This export is not complete: ${what}, because the object store has lost the content or returns it damaged.`;
  }

  /** A last field of a JSON object, with a comma before it; empty where nothing is left out. */
  get field(): string {
    return this.said === null ? "" : `,\n${incomplete(this.said, this.total ?? 0)}`;
  }
}

/** The field by which a file says that it is not complete. Importers skip it. @param contents how many it lacks, where that is known */
export const incomplete = (message: string, contents?: number): string =>
  `"incomplete": ${JSON.stringify({ contents, message })}`;

const counted = (n: number, one: string, more: string): string | null =>
  n === 0 ? null : `${n.toLocaleString("en-US")} ${n === 1 ? one : more}`;

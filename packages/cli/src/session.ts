import { type Call, type Client, CannotRun, createClient, type Server } from "./client.js";
import { startLocal } from "./local/start-local.js";
import type { Screen } from "./progress.js";
import { printable } from "./report/reports.js";

/** What scripts may rely on. */
export const exitCodes = { clean: 0, differences: 1, failures: 2, cannotRun: 3 } as const;

export interface ProgramParts {
  env: Readonly<Record<string, string | undefined>>;
  /** Results. */
  out: Screen;
  /** Progress, and what went wrong. */
  progress: Screen;
  /** Where people open what an answer names, where that is another address than the one that is asked. */
  screens?: string;
  /** Calls `stop` when somebody ends the program. */
  onInterrupt(stop: () => void): void;
}

/** Options that stand before or behind every command. */
export interface Common {
  server?: string;
  json?: boolean;
  local?: boolean;
  data?: string;
}

/** One command's work with a product: where it is, what runs, how it ends. */
export class Session {
  readonly #stopping = new AbortController();
  #code: number = exitCodes.clean;
  #running: string | null = null;
  #server: Server | null = null;
  #client: Client | null = null;
  #endLocal: (() => Promise<void>) | null = null;
  common: Common = {};

  constructor(readonly parts: ProgramParts) {
    parts.onInterrupt(() => this.#stopping.abort());
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get progress(): Screen {
    return this.parts.progress;
  }

  get code(): number {
    return this.#code;
  }

  set code(code: number) {
    this.#code = code;
  }

  /** Where the screens are, without a slash at its end; null where they are gone when the program ends. */
  get base(): string | null {
    return this.common.local === true ? null : (this.parts.screens ?? this.#address);
  }

  get #address(): string {
    return (this.common.server ?? this.parts.env["WEB_TESTER_URL"] ?? "http://127.0.0.1:8080")
      .trim()
      .replace(/\/+$/, "");
  }

  /** Says what runs now, so that it is stopped with the program. */
  readonly onRun = (runId: string | null): void => {
    this.#running = runId;
  };

  async call(): Promise<Call> {
    return (await this.client()).call;
  }

  async client(): Promise<Client> {
    return (this.#client ??= createClient(await this.server(), this.signal));
  }

  /** The product that is asked. With `--local` it is started now. */
  async server({ isOpen = false }: { isOpen?: boolean } = {}): Promise<Server> {
    if (this.#server !== null) return this.#server;
    if (this.common.local === true) {
      const { env, progress } = this.parts;
      const local = await startLocal({ env, dataDir: this.common.data, progress, signal: this.signal, isOpen });
      this.#endLocal = local.stop;
      this.#server = local.server;
    } else if (this.#address === "")
      // as in a pipeline whose variable is not set: what answers on this machine is not what was meant
      throw new CannotRun("WEB_TESTER_URL is empty. Set it to the address of the server, or name one by --server.");
    else this.#server = { url: this.#address, token: this.parts.env["WEB_TESTER_TOKEN"]?.trim() || null };
    return this.#server;
  }

  /** A result: as JSON where that was asked for, else as text. */
  print(value: unknown, text: string): void {
    this.parts.out.write(this.common.json === true ? `${JSON.stringify(value, null, 2)}\n` : text);
  }

  /** After an error. @returns the exit code */
  async fail(error: unknown): Promise<number> {
    if (this.signal.aborted) {
      await this.#cancel();
      this.progress.write("Stopped.\n");
    } else {
      const words = error instanceof CannotRun ? error.message : String(error);
      this.progress.write(`${words.split("\n").map(printable).join("\n")}\n`);
    }
    return exitCodes.cannotRun;
  }

  /** Says of a check that it could not run; also after the program was told to end. */
  async leave(checkId: string, error: string): Promise<void> {
    if (this.#server === null) return;
    const { call } = createClient(this.#server, AbortSignal.timeout(5_000));
    await call("updateCheck", { params: { id: checkId }, body: { error: error.slice(0, 2_000) || "?" } }).catch(
      () => undefined,
    );
  }

  /** Ends what was started for the command. */
  async close(): Promise<void> {
    await this.#endLocal?.();
  }

  async #cancel(): Promise<void> {
    if (this.#running === null || this.#server === null) return;
    const { call } = createClient(this.#server, AbortSignal.timeout(5_000));
    // it may have ended by itself
    await call("cancelRun", { params: { id: this.#running } }).catch(() => undefined);
  }
}

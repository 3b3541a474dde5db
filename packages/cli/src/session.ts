import { type Call, type Client, CannotRun, createClient, type Server } from "./client.js";
import { startLocal } from "./local/start-local.js";
import type { Screen } from "./progress.js";
import { printable } from "./report/reports.js";

/** Exit codes that scripts may rely on. */
export const exitCodes = { clean: 0, differences: 1, failures: 2, cannotRun: 3 } as const;

export interface ProgramParts {
  env: Readonly<Record<string, string | undefined>>;
  /** Stream for results. */
  out: Screen;
  /** Stream for progress and errors. */
  progress: Screen;
  /** Address of the screens for links in answers, if it differs from that of the server. */
  screens?: string;
  /** Registers `stop`, to be called when the user interrupts the program. */
  onInterrupt(stop: () => void): void;
}

/** Global options, which may stand before or after any command. */
export interface Common {
  server?: string;
  json?: boolean;
  local?: boolean;
  data?: string;
}

function hasUser(address: string): boolean {
  const { username = "", password = "" } = URL.parse(address) ?? {};
  return username + password !== "";
}

/** The state of one command: its server, the run in progress, and its exit code. */
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

  /** Address of the screens, without a slash at its end; null with `--local`, because they do not exist any more after the program has ended. */
  get base(): string | null {
    return this.common.local === true ? null : (this.parts.screens ?? this.#address);
  }

  get #address(): string {
    return (this.common.server ?? this.parts.env["WEB_TESTER_URL"] ?? "http://127.0.0.1:8080")
      .trim()
      .replace(/\/+$/, "");
  }

  /** Sets the run in progress, which is cancelled when the program is interrupted. */
  readonly onRun = (runId: string | null): void => {
    this.#running = runId;
  };

  async call(): Promise<Call> {
    return (await this.client()).call;
  }

  async client(): Promise<Client> {
    return (this.#client ??= createClient(await this.server(), this.signal));
  }

  /** Returns the server. With `--local` it is started at the first call. */
  async server({ isOpen = false }: { isOpen?: boolean } = {}): Promise<Server> {
    if (this.#server !== null) return this.#server;
    if (this.common.local === true) {
      const { env, progress } = this.parts;
      const local = await startLocal({ env, dataDir: this.common.data, progress, signal: this.signal, isOpen });
      this.#endLocal = local.stop;
      this.#server = local.server;
    } else if (this.#address === "")
      // as in a pipeline whose variable is not set: what answers on this machine is not what was meant
      throw new CannotRun("WEB_TESTER_URL is empty. Set it to the address of the server, or use --server.");
    else if (hasUser(this.#address))
      // neither shown here nor in the links of a report, which more people read
      throw new CannotRun(
        "The address of the server has a user name or password in it. Remove it: the token in WEB_TESTER_TOKEN is what signs in.",
      );
    else this.#server = { url: this.#address, token: this.parts.env["WEB_TESTER_TOKEN"]?.trim() || null };
    return this.#server;
  }

  /** Prints a result: as JSON with `--json`, else as text. */
  print(value: unknown, text: string): void {
    this.parts.out.write(this.common.json === true ? `${JSON.stringify(value, null, 2)}\n` : text);
  }

  /** Reports an error. @returns the exit code */
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

  /** Records on the server that a check could not run; works even after the program was interrupted. */
  async leave(checkId: string, error: string): Promise<void> {
    if (this.#server === null) return;
    const { call } = createClient(this.#server, AbortSignal.timeout(5_000));
    await call("updateCheck", { params: { id: checkId }, body: { error: error.slice(0, 2_000) || "?" } }).catch(
      () => undefined,
    );
  }

  /** Stops what was started for the command. */
  async close(): Promise<void> {
    await this.#endLocal?.();
  }

  async #cancel(): Promise<void> {
    if (this.#running === null || this.#server === null) return;
    const { call } = createClient(this.#server, AbortSignal.timeout(5_000));
    // the run may have ended by itself
    await call("cancelRun", { params: { id: this.#running } }).catch(() => undefined);
  }
}

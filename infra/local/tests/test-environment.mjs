// @ts-check
import { appendFileSync, readFileSync } from "node:fs";
import vm from "node:vm";
import { TestEnvironment } from "jest-environment-node";
import { takeTurn } from "./turns.mjs";

const { createContext } = vm;

/**
 * Jest's Node environment with fast access to globals. Jest's own puts a proxy object in front of the globals, so that every use of `Math` or
 * `Uint8Array` in a test, and in the code under test, is a slow lookup: a loop that uses one runs up to a hundred times slower.
 */
export default class extends TestEnvironment {
  /** @type {number} port at which its file waits for its turn; 0: it does not wait */
  #turns;
  #endTurn = () => {};
  #file = "";
  #at = 0;
  #before = [0, 0];

  /** @param {ConstructorParameters<typeof TestEnvironment>} given */
  constructor(...given) {
    Reflect.set(vm, "createContext", () => createContext(vm.constants.DONT_CONTEXTIFY));
    try {
      super(...given);
    } finally {
      Reflect.set(vm, "createContext", createContext);
    }
    const [{ projectConfig }, context] = given;
    this.#file = context.testPath;
    this.#turns =
      projectConfig.testEnvironmentOptions["takesTurns"] === true ? Number(process.env["TEST_TURNS"] ?? 0) : 0;
  }

  /** @override */
  async setup() {
    if (this.#turns !== 0) this.#endTurn = await takeTurn(this.#turns);
    await super.setup();
    this.#at = Date.now();
    this.#before = spent();
  }

  /** @override */
  async teardown() {
    await super.teardown();
    this.#endTurn();
    if (process.env["TEST_COSTS"] !== undefined) this.#tell(process.env["TEST_COSTS"]);
  }

  /** @param {string} file */
  #tell(file) {
    const [children, self] = spent();
    const line = { file: this.#file, self: self - this.#before[1], children: children - this.#before[0], wall: (Date.now() - this.#at) / 1000, end: Date.now() / 1000 };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  }
}

function spent() {
  const all = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
  return [(Number(all[13]) + Number(all[14])) / 100, (Number(all[11]) + Number(all[12])) / 100];
}


// @ts-check
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

  /** @param {ConstructorParameters<typeof TestEnvironment>} given */
  constructor(...given) {
    Reflect.set(vm, "createContext", () => createContext(vm.constants.DONT_CONTEXTIFY));
    try {
      super(...given);
    } finally {
      Reflect.set(vm, "createContext", createContext);
    }
    const [{ projectConfig }] = given;
    this.#turns =
      projectConfig.testEnvironmentOptions["takesTurns"] === true ? Number(process.env["TEST_TURNS"] ?? 0) : 0;
  }

  /** @override */
  async setup() {
    if (this.#turns !== 0) this.#endTurn = await takeTurn(this.#turns);
    await super.setup();
  }

  /** @override */
  async teardown() {
    await super.teardown();
    this.#endTurn();
  }
}

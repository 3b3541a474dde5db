// @ts-check
// Loaded before a service (node --import): shifts its wall clock when its parent process sends an offset. Timers and performance.now() are not affected.
const RealDate = Date;
let offsetMs = 0;

class ShiftedDate extends RealDate {
  /** @param {[]} given */
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offsetMs);
    else super(...given);
  }
  static now() {
    return RealDate.now() + offsetMs;
  }
  // dates that Node itself creates (of files, for example) count as instances too
  /** @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return value instanceof RealDate;
  }
}

process.on("message", (message) => {
  if (typeof message !== "object" || message === null || !("clockOffsetMs" in message)) return;
  offsetMs = Number(message.clockOffsetMs);
  // Date is only replaced at the first shift, so that an undisturbed service runs with the real one
  globalThis.Date = /** @type {DateConstructor} */ (ShiftedDate);
});
process.channel?.unref();

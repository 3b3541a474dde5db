// @ts-check
// Loaded before a service (node --import): shifts its wall clock when its parent says so. Timers and performance.now() go on as they were.
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
  // dates that Node itself made (of files, say) are dates too
  /** @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return value instanceof RealDate;
  }
}

process.on("message", (message) => {
  if (typeof message !== "object" || message === null || !("clockOffsetMs" in message)) return;
  offsetMs = Number(message.clockOffsetMs);
  // until the first shift the service runs with the clock that it always has
  globalThis.Date = /** @type {DateConstructor} */ (ShiftedDate);
});
process.channel?.unref();

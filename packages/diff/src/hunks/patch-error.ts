/** Thrown for a patch or comparison that does not fit its text, or cannot be read. A retry with the same input does not help. */
export class PatchError extends Error {
  override readonly name = "PatchError";
}

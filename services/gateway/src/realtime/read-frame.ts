import { type ClientFrame, clientFrame } from "@web-tester/contracts/socket";

/** A parsed frame: what the client wants, or why it cannot be understood. */
export type ReadFrame = { ok: true; frame: ClientFrame } | { ok: false; message: string };

const known = clientFrame.options.map((option) => option.shape.type.value).join(", ");

/** Parses a frame from a browser; anything but a known frame as JSON text results in a message that says what is wrong. */
export function readFrame(data: unknown): ReadFrame {
  if (typeof data !== "string") return refused("Frames are text. Send one JSON object as text.");
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return refused("The frame is not valid JSON. Send one JSON object with a type.");
  }
  const parsed = clientFrame.safeParse(value);
  if (parsed.success) return { ok: true, frame: parsed.data };
  const issue = parsed.error.issues[0];
  if (issue === undefined || issue.code === "invalid_union" || issue.path.length === 0)
    return refused(`The frame's type is not known. Known types: ${known}.`);
  return refused(`The field ${issue.path.join(".")} of the frame is not valid: ${issue.message}.`);
}

function refused(message: string): ReadFrame {
  return { ok: false, message };
}

import { z } from "zod";
import { httpUrl } from "./entities/vocabulary.js";

const selector = z.string().trim().min(1, "Enter a CSS selector").max(500);
const stepsMax = 20;

const open = z.object({ do: z.literal("open"), url: httpUrl });
const click = z.object({ do: z.literal("click"), selector });
const waitFor = z.object({ do: z.literal("wait"), selector });

/** One step of a login as a caller sends it. An absent value leaves the stored one. */
export const loginStep = z.discriminatedUnion("do", [
  open,
  z.object({ do: z.literal("fill"), selector, value: z.string().max(2_000).optional() }),
  click,
  waitFor,
]);
export type LoginStep = z.infer<typeof loginStep>;

export const loginSteps = z
  .array(loginStep)
  .max(stepsMax, `A login can have up to ${stepsMax} steps`)
  .refine((steps) => steps.length === 0 || steps[0]?.do === "open", "The first step must open the login page");

/** A step as it is shown: values that are filled in are never returned. */
export const shownLoginStep = z
  .discriminatedUnion("do", [
    open,
    z.object({ do: z.literal("fill"), selector, value_set: z.boolean() }),
    click,
    waitFor,
  ])
  .meta({ id: "LoginStep" });
export type ShownLoginStep = z.infer<typeof shownLoginStep>;

/** The result of one step when a login was tried. */
export const triedStep = z.object({
  ok: z.boolean(),
  message: z.string().nullable().describe("What went wrong, in words"),
  url: z.string().describe("The address of the page after the step"),
});

/** The encryption context of a login. */
export const loginContext = (objectId: string): string => `${objectId} login`;

/** The encryption context of a session at a site. */
export const sessionContext = (objectId: string): string => `${objectId} session`;

/** Steps with all their values, as they are stored. */
export const storedLogin = z.array(
  z.discriminatedUnion("do", [open, z.object({ do: z.literal("fill"), selector, value: z.string() }), click, waitFor]),
);
export type StoredLogin = z.infer<typeof storedLogin>;

/** Returns the steps without their values. */
export function showSteps(steps: StoredLogin): ShownLoginStep[] {
  return steps.map((step) =>
    step.do === "fill" ? { do: step.do, selector: step.selector, value_set: step.value !== "" } : step,
  );
}

/** Returns, for each step, the origin of the address that was last opened, by the step itself or before it. */
function originsOf(steps: readonly LoginStep[]): string[] {
  let origin = "";
  return steps.map((step) => {
    if (step.do === "open") origin = new URL(step.url).origin;
    return origin;
  });
}

/**
 * Merges new steps with the stored ones: an absent value is taken from the stored step that fills the same selector on a page of the same
 * origin.
 * @returns `elsewhere`: indices of steps whose value is known only for another origin and is therefore not used: a secret for one site must
 * not be sent to another
 */
export function mergeSteps(
  given: readonly LoginStep[],
  stored: StoredLogin,
): { steps: StoredLogin; elsewhere: number[] } {
  const [origins, storedOrigins] = [originsOf(given), originsOf(stored)];
  const elsewhere: number[] = [];
  const steps = given.map((step, index) => {
    if (step.do !== "fill") return step;
    const filled = (value: string) => ({ do: step.do, selector: step.selector, value });
    if (step.value !== undefined) return filled(step.value);
    const known = stored.flatMap((other, at) =>
      other.do === "fill" && other.selector === step.selector && other.value !== ""
        ? [{ value: other.value, origin: storedOrigins[at] }]
        : [],
    );
    const kept = known.find(({ origin }) => origin === origins[index]);
    if (kept === undefined && known.length > 0) elsewhere.push(index);
    return filled(kept?.value ?? "");
  });
  return { steps, elsewhere };
}

import { z } from "zod";
import { httpUrl } from "./entities/vocabulary.js";

const selector = z.string().trim().min(1, "Enter a CSS selector").max(500);
const stepsMax = 20;

const open = z.object({ do: z.literal("open"), url: httpUrl });
const click = z.object({ do: z.literal("click"), selector });
const waitFor = z.object({ do: z.literal("wait"), selector });

/** One step of a login as a caller gives it. A value that is left out stays as it is stored. */
export const loginStep = z.discriminatedUnion("do", [
  open,
  z.object({ do: z.literal("fill"), selector, value: z.string().max(2_000).optional() }),
  click,
  waitFor,
]);
export type LoginStep = z.infer<typeof loginStep>;

export const loginSteps = z
  .array(loginStep)
  .max(stepsMax, `At most ${stepsMax} steps`)
  .refine((steps) => steps.length === 0 || steps[0]?.do === "open", "The first step opens the login page");

/** A step as it is shown: what is filled in never comes back. */
export const shownLoginStep = z
  .discriminatedUnion("do", [
    open,
    z.object({ do: z.literal("fill"), selector, value_set: z.boolean() }),
    click,
    waitFor,
  ])
  .meta({ id: "LoginStep" });
export type ShownLoginStep = z.infer<typeof shownLoginStep>;

/** What came of one step when a login was tried. */
export const triedStep = z.object({
  ok: z.boolean(),
  message: z.string().nullable().describe("What went wrong, in words"),
  url: z.string().describe("The address of the page after the step"),
});

/** What a login is encrypted for. */
export const loginContext = (objectId: string): string => `${objectId} login`;

/** What a session at a site is encrypted for. */
export const sessionContext = (objectId: string): string => `${objectId} session`;

/** Steps with all their values, as they are stored. */
export const storedLogin = z.array(
  z.discriminatedUnion("do", [open, z.object({ do: z.literal("fill"), selector, value: z.string() }), click, waitFor]),
);
export type StoredLogin = z.infer<typeof storedLogin>;

/** How steps are shown. */
export function showSteps(steps: StoredLogin): ShownLoginStep[] {
  return steps.map((step) =>
    step.do === "fill" ? { do: step.do, selector: step.selector, value_set: step.value !== "" } : step,
  );
}

/** The origin of the address that was opened last before each step, or by it. */
function originsOf(steps: readonly LoginStep[]): string[] {
  let origin = "";
  return steps.map((step) => {
    if (step.do === "open") origin = new URL(step.url).origin;
    return origin;
  });
}

/**
 * Steps to be stored; a value that is left out is the one that the same selector was filled with after a page of the same origin was opened.
 * @returns `elsewhere`: steps without a value that is known for a page of another origin only: what was meant for one site is not told another
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

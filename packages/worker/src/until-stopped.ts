import { AppError } from "@web-tester/contracts/errors";
import type { Answering } from "@web-tester/platform/bus/consume-all";

/**
 * The same handlers of questions, for a service whose work ends with `stopping`. What breaks off then is no fault of the
 * question or of the service: who asked is told to ask again, which another process of this service may answer, and nothing
 * is logged as an error.
 * @throws AppError unavailable, by the handlers, for whatever fails after `stopping` was aborted
 */
export function untilStopped(stopping: AbortSignal, answerings: readonly Answering[]): Answering[] {
  return answerings.map((answering) => ({
    ...answering,
    answer: async (request) => {
      try {
        return await answering.answer(request);
      } catch (error) {
        if (!stopping.aborted || error instanceof AppError) throw error;
        throw new AppError("unavailable", "The service that was asked is being stopped. Try again in a moment.", {
          cause: error,
        });
      }
    },
  }));
}

import type { NextFunction, Request, RequestHandler, Response } from "express";

/** One handler of several: the router looks at each of its own for every request, and these are for all requests. */
export function inOrder(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    let index = 0;
    const step = (error?: unknown): void => {
      const handler = handlers[index++];
      if (error !== undefined || handler === undefined) {
        next(error);
        return;
      }
      try {
        void handler(request, response, step);
      } catch (thrown) {
        next(thrown);
      }
    };
    step();
  };
}

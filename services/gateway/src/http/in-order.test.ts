import { expect, test } from "@jest/globals";
import type { Request, RequestHandler, Response } from "express";
import { inOrder } from "./in-order.js";

const asked = {} as Request;
const answer = {} as Response;

/** What is seen of a request that passes handlers of these names, and how it leaves them. */
function pass(handlers: Record<string, RequestHandler>): { seen: string[]; left: unknown[][] } {
  const [seen, left]: [string[], unknown[][]] = [[], []];
  const noting = Object.entries(handlers).map(([name, handle]): RequestHandler => (request, response, next) => {
    seen.push(name);
    return handle(request, response, next);
  });
  void inOrder(...noting)(asked, answer, (...args: unknown[]) => left.push(args));
  return { seen, left };
}

const on: RequestHandler = (_request, _response, next) => next();

test("each is asked in turn, and then whoever comes next", () => {
  expect(pass({ one: on, two: on, three: on })).toEqual({ seen: ["one", "two", "three"], left: [[undefined]] });
});

test("who answers ends it", () => {
  expect(pass({ one: on, two: () => undefined, three: on })).toEqual({ seen: ["one", "two"], left: [] });
});

test.each<[how: string, handler: RequestHandler]>([
  ["passes on", (_request, _response, next) => next("wrong")],
  [
    "throws",
    () => {
      throw "wrong";
    },
  ],
])("what one %s goes past the others to whoever comes next", (_how, handler) => {
  expect(pass({ one: on, two: handler, three: on })).toEqual({ seen: ["one", "two"], left: [["wrong"]] });
});

import { expect, test } from "@jest/globals";
import { methodsOf } from "./endpoint-facts.js";

test.each([
  ["/api/testobjects", ["GET", "HEAD", "POST"]],
  ["/api/testobjects/", ["GET", "HEAD", "POST"]],
  ["/api/testobjects/7", ["DELETE", "GET", "HEAD", "PATCH"]],
  ["/api/testobjects/7/crawl", ["POST"]],
  ["/config.json", ["GET", "HEAD"]],
  // not a schedule with the id “upcoming”
  ["/api/schedules/upcoming", ["GET", "HEAD"]],
  ["/configXjson", []],
  ["/api/testobjects/7/8/crawl", []],
  ["/api/nothing", []],
])("%s is known with %j", (path, methods) => {
  expect(methodsOf(path)).toEqual(methods);
});

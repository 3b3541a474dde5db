import { row, type Violation } from "./plant.js";

/** One violation of each rule about imports inside a worker: main → wiring → handler → step → pure. */
export const insideWorkers: Violation[] = [
  row(
    "crawler: pure → handler",
    "services/crawler/src/pure/planted-pure.ts",
    "../handlers/crawl-pages.js",
    "A pure function knows none of the others",
  ),
  row(
    "fetcher: pure → main",
    "services/fetcher/src/pure/planted-pure.ts",
    "../main.js",
    "A pure function knows none of the others",
  ),
  row(
    "differ: pure → step",
    "services/differ/src/pure/planted-pure.ts",
    "../steps/comparer.js",
    "A pure function knows none of the others",
  ),
  row(
    "crawler: pure → database",
    "services/crawler/src/pure/planted-database.ts",
    "@web-tester/platform/database/database",
    "touches nothing: types only",
  ),
  row(
    "fetcher: pure → database",
    "services/fetcher/src/pure/planted-database.ts",
    "@web-tester/platform/database/database",
    "touches nothing: types only",
  ),
  row(
    "differ: pure → database",
    "services/differ/src/pure/planted-database.ts",
    "@web-tester/platform/database/database",
    "touches nothing: types only",
  ),
  row(
    "crawler: pure → file system",
    "services/crawler/src/pure/planted-files.ts",
    "node:fs/promises",
    "touches nothing.",
  ),
  row(
    "fetcher: pure → file system",
    "services/fetcher/src/pure/planted-files.ts",
    "node:fs/promises",
    "touches nothing.",
  ),
  row(
    "differ: pure → file system",
    "services/differ/src/pure/planted-files.ts",
    "node:fs/promises",
    "touches nothing.",
  ),
  row(
    "crawler: step → handler",
    "services/crawler/src/steps/visit-batch.ts",
    "../handlers/crawl-pages.js",
    "A step of a handler does not know the handler",
  ),
  row(
    "fetcher: step → handler",
    "services/fetcher/src/steps/result-batch.ts",
    "../handlers/take-snapshots.js",
    "A step of a handler does not know the handler",
  ),
  row(
    "differ: step → handler",
    "services/differ/src/steps/comparer.ts",
    "../handlers/record-changes.js",
    "A step of a handler does not know the handler",
  ),
  row(
    "crawler: handler → handler",
    "services/crawler/src/handlers/read-sitemaps.ts",
    "./crawl-pages.js",
    "Handlers do not know one another",
  ),
  row(
    "fetcher: handler → wiring",
    "services/fetcher/src/handlers/take-snapshots.ts",
    "../fetcher.js",
    "Arrows in fetcher: main → wiring → handler",
  ),
  row(
    "differ: handler → handler",
    "services/differ/src/handlers/record-changes.ts",
    "./answer-diff.js",
    "Handlers do not know one another",
  ),
  row(
    "crawler: wiring → main",
    "services/crawler/src/crawler.ts",
    "./main.js",
    "Arrows in crawler: main → wiring → handler → step → pure functions, never back.",
  ),
  row(
    "fetcher: wiring → main",
    "services/fetcher/src/fetcher.ts",
    "./main.js",
    "Arrows in fetcher: main → wiring → handler → step → pure functions, never back.",
  ),
  row(
    "differ: wiring → main",
    "services/differ/src/differ.ts",
    "./main.js",
    "Arrows in differ: main → wiring → handler → step → pure functions, never back.",
  ),
  row(
    "a worker's file of no kind",
    "services/differ/src/planted-anything.ts",
    "./pure/count-pair.js",
    "A file stands in handlers, steps or pure",
  ),
  row(
    "crawler → Nest",
    "services/crawler/src/pure/planted-nest.ts",
    "@nestjs/common",
    "only the gateway is a Nest application",
  ),
  row(
    "fetcher: handler → handler",
    "services/fetcher/src/handlers/answer-render.ts",
    "./take-snapshots.js",
    "Handlers do not know one another",
  ),
  row(
    "a file of the fetcher of no kind",
    "services/fetcher/src/planted-anything.ts",
    "./pure/classify.js",
    "A file stands in handlers, steps or pure",
  ),
];

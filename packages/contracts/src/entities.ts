/** What the product keeps and speaks of, by subject. */
export * from "./entities/vocabulary.js";
export * from "./entities/object.js";
export * from "./entities/instance.js";
export * from "./entities/snapshot.js";
export * from "./entities/run.js";
export * from "./entities/compare.js";
export * from "./entities/search.js";
export * from "./entities/stats.js";
export * from "./entities/transfer.js";

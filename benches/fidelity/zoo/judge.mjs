// @ts-check

/**
 * Returns what is wrong with the result of loading a page of the zoo; empty where it is what a person would have seen, or an expected failure.
 * @param {import("./page.mjs").ZooPage} page
 * @param {import("@web-tester/loader/page-result").PageResult} result
 * @returns {string[]}
 */
export function judge(page, result) {
  const wanted = page.fails ?? "page";
  const came = result.kind === "failed" ? result.code : result.kind;
  if (came !== wanted) return [`${came} instead of ${wanted}${result.kind === "failed" ? `: ${result.message}` : ""}`];
  if (result.kind === "failed")
    return (page.words ?? /./).test(result.message) ? [] : [`its words are “${result.message}”`];
  if (result.kind !== "page") return [];
  const text = result.body.toString();
  const isRestless = (result.warning ?? "").startsWith("Not settled");
  return [
    ...(page.has ?? []).filter((part) => !text.includes(part)).map((part) => `it lacks ${part}`),
    ...(page.lacks ?? []).filter((part) => text.includes(part)).map((part) => `it has ${part}`),
    ...(page.restless === undefined || page.restless === isRestless ? [] : [`restless: ${isRestless}`]),
  ];
}

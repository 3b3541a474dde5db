/**
 * SQL: subqueries for EXISTS that find rows which need a content. The newest state of a site's files (`site_asset`) is not among them: it
 * only saves requests.
 */
const references = (content: string) => [
  `SELECT 1 FROM test_snapshot s WHERE s.content_hash = ${content}.hash`,
  `SELECT 1 FROM import_row r WHERE r.content_hash = ${content}.hash`,
  `SELECT 1 FROM import_content i WHERE i.content_hash = ${content}.hash`,
  `SELECT 1 FROM snapshot_asset a WHERE a.content_hash = ${content}.hash`,
  `SELECT 1 FROM search_section g WHERE g.content_hash = ${content}.hash`,
  `SELECT 1 FROM content d WHERE d.base_hash = ${content}.hash`,
  `SELECT 1 FROM test_object o WHERE o.dictionary_hash = ${content}.hash`,
];

/** SQL: whether any row needs a content. @param content alias of the content in the surrounding statement */
export function isReferredTo(content: string): string {
  return `(${references(content)
    .map((reference) => `EXISTS (${reference})`)
    .join(" OR ")})`;
}

/** SQL: whether no row needs a content, in a form that PostgreSQL can turn into anti-joins. */
export function isUnused(content: string): string {
  return references(content)
    .map((reference) => `NOT EXISTS (${reference})`)
    .join(" AND ");
}

import ts from "typescript";

/**
 * Returns the titles of the tests that a file runs, as its code has them, and the texts of the tables that `each` puts into them. Comments,
 * other texts and tests that are skipped do not count.
 * @param source the code of a test file
 */
export function titlesIn(source: string): string[] {
  const file = ts.createSourceFile("x.test.ts", source, ts.ScriptTarget.Latest, true);
  const tables = new Map<string, ts.Expression>();
  const note = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined)
      tables.set(node.name.text, node.initializer);
    ts.forEachChild(node, note);
  };
  note(file);
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const { names, table } = readCallee(node.expression);
      if (["test", "it", "describe"].includes(names[0] ?? "")) {
        if (names.includes("skip") || names.includes("todo")) return;
        const [title] = node.arguments;
        if (names[0] !== "describe" && title !== undefined)
          titles.push(...textsIn(title), ...(table === undefined ? [] : textsIn(table, tables)));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return titles;
}

/** Reads what is called: of `test.each(table)`, the names `test` and `each`, and the table. */
function readCallee(callee: ts.Expression): { names: string[]; table?: ts.Expression } {
  if (ts.isIdentifier(callee)) return { names: [callee.text] };
  if (ts.isPropertyAccessExpression(callee)) {
    const inner = readCallee(callee.expression);
    return { ...inner, names: [...inner.names, callee.name.text] };
  }
  if (ts.isCallExpression(callee)) {
    const { names } = readCallee(callee.expression);
    const [table] = callee.arguments;
    return names.at(-1) === "each" && table !== undefined ? { names, table } : { names: [] };
  }
  return { names: [] };
}

/** Returns every text below a node; the name of a table is followed to its definition. */
function textsIn(node: ts.Node, tables?: Map<string, ts.Expression>): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isRegularExpressionLiteral(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("…")];
  const named = ts.isIdentifier(node) ? tables?.get(node.text) : undefined;
  if (named !== undefined) return textsIn(named);
  const texts: string[] = [];
  ts.forEachChild(node, (child) => void texts.push(...textsIn(child, tables)));
  return texts;
}

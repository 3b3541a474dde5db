import ts from "typescript";

/**
 * Finds tests that may return under a condition before their first `expect`, and would then count as passed without having checked anything.
 * A test that cannot run everywhere is chosen by `(condition ? test : test.skip)("… (needs …)")` instead, and counts as skipped.
 * @param source text of a test file
 * @returns the titles of these tests, as they are written in the source
 */
export function earlyReturns(source: string): string[] {
  if (!/\breturn;/.test(source)) return [];
  const file = ts.createSourceFile("x.test.ts", source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [title] = node.arguments;
      if (title !== undefined && /^(test|it)\b|Test\b|\? (test|it)\b/.test(node.expression.getText()))
        for (const body of node.arguments) {
          const isFunction = ts.isArrowFunction(body) || ts.isFunctionExpression(body);
          if (isFunction && returnsEarly(body.body)) found.push(title.getText());
        }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Whether a conditional `return;` of this function comes before its first `expect`; the returns of nested functions do not count. */
function returnsEarly(body: ts.Node): boolean {
  if (!ts.isBlock(body)) return false;
  for (const statement of body.statements) {
    if (/\bexpect/.test(statement.getText())) return false;
    if (ts.isIfStatement(statement) && endsIn(statement.thenStatement)) return true;
  }
  return false;
}

function endsIn(statement: ts.Statement): boolean {
  if (ts.isBlock(statement)) return statement.statements.some(endsIn);
  return ts.isReturnStatement(statement) && statement.expression === undefined;
}

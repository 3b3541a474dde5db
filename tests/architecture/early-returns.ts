import ts from "typescript";

/**
 * Tests of a file that may end before they have looked at anything, and would be counted as passed: those that return under a condition. What
 * cannot run everywhere is chosen by `(condition ? test : test.skip)("… (needs …)")` and counted as skipped.
 * @param source of a test file
 * @returns their titles
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

/** Whether a function ends here by `return;` before anything was expected; functions inside have returns of their own. */
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

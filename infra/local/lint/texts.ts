import ts from "typescript";

/** Used by tests only: finds texts in sources, and faults of translations. */

/** Attributes whose values are shown or read aloud. */
const readAttributes = new Set([
  "alt",
  "aria-description",
  "aria-label",
  "aria-roledescription",
  "aria-valuetext",
  "aside",
  "description",
  "detail",
  "label",
  "legend",
  "name",
  "nothingFoundMessage",
  "noun",
  "placeholder",
  "sentence",
  "thumbLabel",
  "title",
  "words",
]);

/** Elements whose content is code, and names that are the same in every language. */
const codeElements = new Set(["code", "kbd", "pre"]);
const names = new Set([
  "web-tester",
  "X-API-Token",
  "https://docs.example.com",
  "https://example.com/login",
  "https://",
]);
/** Calls whose arguments are shown to readers. */
const readCalls = new Set(["toast", "usePageMeta"]);

const isWords = (text: string) => /\p{L}{2}/u.test(text) && !names.has(text.trim()) && !text.startsWith("{{");
const isText = (node: ts.Node): node is ts.StringLiteralLike | ts.TemplateExpression =>
  ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

const textOf = (node: ts.StringLiteralLike | ts.TemplateExpression) =>
  ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("…")
    : node.text;

/** Finds texts that a screen would show in English whatever the language, as "file:line text". */
export function bareTexts(name: string, source: string): string[] {
  const file = parse(name, source);
  const found: string[] = [];
  const note = (node: ts.Node, text: string) => {
    if (isWords(text))
      found.push(
        `${name}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1} ${text.trim().replaceAll(/\s+/g, " ")}`,
      );
  };
  /** Notes the texts that an expression may evaluate to. */
  const results = (node: ts.Expression): void => {
    if (ts.isParenthesizedExpression(node)) results(node.expression);
    else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(results);
    else if (ts.isBinaryExpression(node) && ["&&", "||", "??"].includes(node.operatorToken.getText(file)))
      results(node.right);
    else if (isText(node)) note(node, textOf(node));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxElement(node) && codeElements.has(node.openingElement.tagName.getText(file))) return;
    if (ts.isJsxText(node)) note(node, node.text);
    if (ts.isJsxExpression(node) && node.expression !== undefined && !ts.isJsxAttribute(node.parent))
      results(node.expression);
    if (ts.isJsxAttribute(node) && readAttributes.has(node.name.getText(file)) && node.initializer !== undefined) {
      if (ts.isStringLiteral(node.initializer)) note(node, node.initializer.text);
      else if (ts.isJsxExpression(node.initializer) && node.initializer.expression !== undefined)
        results(node.initializer.expression);
    }
    if (ts.isCallExpression(node) && readCalls.has(node.expression.getText(file)))
      node.arguments.slice(node.expression.getText(file) === "toast" ? 1 : 0, 2).forEach(results);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Returns every text that a source asks the catalogue for. */
export function usedTexts(name: string, source: string): string[] {
  const file = parse(name, source);
  const found: string[] = [];
  const literals = (node: ts.Node | undefined): string[] => {
    if (node === undefined) return [];
    if (ts.isConditionalExpression(node)) return [...literals(node.whenTrue), ...literals(node.whenFalse)];
    return ts.isStringLiteralLike(node) ? [node.text] : [];
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const called = node.expression.getText(file);
      if (called === "t" || called === "rich") found.push(...literals(node.arguments[0]));
      if (called === "counted" || called === "allShown" || called === "someShown") {
        const [noun, plural = `${noun ?? ""}s`] = node.arguments.filter(ts.isStringLiteral).map(({ text }) => text);
        if (noun !== undefined && noun.length > 1) found.push(`{n} ${noun}|{n} ${plural}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g))].toSorted().join(" ");

/** Returns what is wrong with a translation: it is empty, has other placeholders, or a different number of forms for counts. */
export function missingIn(english: string, text: string): string[] {
  if (text.trim() === "") return [`${english}: empty`];
  if (english.split("|").length !== text.split("|").length) return [`${english}: other forms`];
  // "Every hour" needs no number where "Every {n} hours" has one
  const [before, after] = [english, text].map((each) => placeholders(each.split("|").at(-1) ?? ""));
  return before === after || english.startsWith("error:") ? [] : [`${english}: other placeholders`];
}

const parse = (name: string, source: string) =>
  ts.createSourceFile(
    name,
    source,
    ts.ScriptTarget.Latest,
    true,
    name.endsWith(".ts") ? ts.ScriptKind.TS : ts.ScriptKind.TSX,
  );

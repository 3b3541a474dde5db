/** The kind of a stretch of HTML, for quiet colours; plain text has no token. */
export type TokenKind = "tag" | "attribute" | "string" | "comment";
export interface Token {
  readonly from: number;
  /** The end, exclusive. */
  readonly to: number;
  readonly kind: TokenKind;
}

/** The state in which a line begins, left by the line before. `raw:…` is inside of an element whose content is no markup. */
export type LineState =
  | "text"
  | "tag"
  | "comment"
  | "dq"
  | "sq"
  | "raw:script"
  | "raw:style"
  | "raw-tag:script"
  | "raw-tag:style";

export interface TokenizedLine {
  readonly tokens: readonly Token[];
  readonly state: LineState;
}

const nameAt = /[a-zA-Z][^\s/>]*/y;
const attributeAt = /[^\s"'>/=]+/y;
const bareValueAt = /[^\s>]+/y;

/**
 * Tokenises one line of HTML, given the state after the line before. Meant for colours only: it never fails, reads each character
 * once, and need not agree with a browser on broken markup. Offsets are UTF-16 code units.
 */
export function tokenizeLine(line: string, start: LineState = "text"): TokenizedLine {
  const tokens: Token[] = [];
  let state: LineState = start;
  let at = 0;
  let afterEquals = false;

  const push = (from: number, to: number, kind: TokenKind) => {
    const last = tokens.at(-1);
    if (to <= from) return;
    if (last !== undefined && last.kind === kind && last.to === from)
      tokens[tokens.length - 1] = { from: last.from, to, kind };
    else tokens.push({ from, to, kind });
  };
  const through = (end: string, kind: TokenKind, then: LineState, stay: LineState) => {
    const found = line.indexOf(end, at);
    const to = found < 0 ? line.length : found + end.length;
    push(at, to, kind);
    at = to;
    state = found < 0 ? stay : then;
  };

  while (at < line.length) {
    if (state === "comment") through("-->", "comment", "text", "comment");
    else if (state === "dq") through('"', "string", "tag", "dq");
    else if (state === "sq") through("'", "string", "tag", "sq");
    else if (state === "raw:script" || state === "raw:style") {
      const close = line.toLowerCase().indexOf(`</${state.slice(4)}`, at);
      if (close < 0) at = line.length;
      else {
        at = close;
        state = "text";
      }
    } else if (state === "text") {
      const open = line.indexOf("<", at);
      if (open < 0) break;
      at = open;
      if (line.startsWith("<!--", at)) {
        state = "comment";
        const end = line.indexOf("-->", at + 4);
        push(at, end < 0 ? line.length : end + 3, "comment");
        at = end < 0 ? line.length : end + 3;
        if (end >= 0) state = "text";
        continue;
      }
      const prefix = line[at + 1] === "/" || line[at + 1] === "!" ? 2 : 1;
      nameAt.lastIndex = at + prefix;
      const name = nameAt.exec(line)?.[0];
      if (name === undefined) {
        at += 1;
        continue;
      }
      push(at, at + prefix + name.length, "tag");
      at += prefix + name.length;
      const lower = name.toLowerCase();
      state =
        prefix === 1 && lower === "script"
          ? "raw-tag:script"
          : prefix === 1 && lower === "style"
            ? "raw-tag:style"
            : "tag";
      afterEquals = false;
    } else {
      const char = line[at] ?? "";
      const raw: "script" | "style" | undefined =
        state === "raw-tag:script" ? "script" : state === "raw-tag:style" ? "style" : undefined;
      if (char === ">") {
        push(at, at + 1, "tag");
        at += 1;
        state = raw === undefined ? "text" : `raw:${raw}`;
      } else if (char === "/" || /\s/.test(char)) {
        if (char === "/") push(at, at + 1, "tag");
        at += 1;
      } else if (char === "=") {
        afterEquals = true;
        at += 1;
      } else if (char === '"' || char === "'") {
        const end = line.indexOf(char, at + 1);
        push(at, end < 0 ? line.length : end + 1, "string");
        at = end < 0 ? line.length : end + 1;
        if (end < 0 && raw === undefined) state = char === '"' ? "dq" : "sq";
        afterEquals = false;
      } else {
        const pattern = afterEquals ? bareValueAt : attributeAt;
        pattern.lastIndex = at;
        const length = pattern.exec(line)?.[0].length ?? 1;
        push(at, at + length, afterEquals ? "string" : "attribute");
        at += length;
        afterEquals = false;
      }
    }
  }
  return { tokens, state };
}

/** The state after a line, without building tokens where the line plainly cannot change it. */
export function stateAfter(line: string, start: LineState): LineState {
  if (start === "text" && !line.includes("<")) return "text";
  return tokenizeLine(line, start).state;
}

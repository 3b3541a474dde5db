/** The window that a page is shown in, in CSS pixels; sizes are null where they are unknown, as inside a frame. */
export interface ShownWindow {
  width: number | null;
  height: number | null;
  /** Device pixels per CSS pixel. */
  scale: number;
}

const charsMax = 1_000;
const depthMax = 10;
/** The default font size of the root, which `em` in media queries and `sizes` refers to. */
const fontPx = 16;

/** A number (`isNumber`) or a length in pixels. */
interface Quantity {
  value: number;
  isNumber: boolean;
}

/**
 * Reads a length as in `sizes` and media queries (CSS Values 4): with a unit, or `calc`, `min`, `max` and `clamp` of lengths.
 * @returns CSS pixels; null for what is no length, or depends on unknown sizes
 */
export function readLength(text: string, window: ShownWindow): number | null {
  if (text.length > charsMax) return null;
  const reader = new Reader(text, window);
  const found = reader.sum(0);
  if (found === null || !reader.isAtEnd()) return null;
  return found.isNumber && found.value !== 0 ? null : found.value;
}

const tokens = /\s*(?:([a-z-]+)?(\()|([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?|([)*/,])|([+-])(?=\s))/giy;

class Reader {
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly window: ShownWindow,
  ) {}

  isAtEnd(): boolean {
    return this.text.slice(this.#at).trim() === "";
  }

  sum(depth: number): Quantity | null {
    let left = this.product(depth);
    for (let sign = this.#sign("+-"); sign !== null && left !== null; sign = this.#sign("+-")) {
      const right = this.product(depth);
      if (right === null || right.isNumber !== left.isNumber) return null;
      left = { value: sign === "+" ? left.value + right.value : left.value - right.value, isNumber: left.isNumber };
    }
    return left;
  }

  private product(depth: number): Quantity | null {
    let left = this.value(depth);
    for (let sign = this.#sign("*/"); sign !== null && left !== null; sign = this.#sign("*/")) {
      const right = this.value(depth);
      if (right === null) return null;
      if (sign === "/") {
        if (!right.isNumber || right.value === 0) return null;
        left = { value: left.value / right.value, isNumber: left.isNumber };
      } else {
        if (!left.isNumber && !right.isNumber) return null;
        left = { value: left.value * right.value, isNumber: left.isNumber && right.isNumber };
      }
    }
    return left;
  }

  private value(depth: number): Quantity | null {
    const token = this.#token();
    if (token === null || depth > depthMax) return null;
    const [, name = "", opens, number, unit] = token;
    if (number !== undefined) return quantity(Number(number), unit?.toLowerCase() ?? "", this.window);
    if (opens === undefined) return null;
    const parts: Quantity[] = [];
    do {
      const part = this.sum(depth + 1);
      if (part === null) return null;
      parts.push(part);
    } while (this.#sign(",") !== null);
    return this.#sign(")") === null ? null : combined(name.toLowerCase(), parts);
  }

  #token(): RegExpExecArray | null {
    tokens.lastIndex = this.#at;
    const found = tokens.exec(this.text);
    if (found !== null) this.#at = tokens.lastIndex;
    return found;
  }

  /** Consumes the next sign where it is one of these. */
  #sign(wanted: string): string | null {
    const rest = /^\s*([-+*/,)])/.exec(this.text.slice(this.#at));
    const sign = rest?.[1];
    if (rest === null || sign === undefined || !wanted.includes(sign)) return null;
    this.#at += rest[0].length;
    return sign;
  }
}

function combined(name: string, parts: readonly Quantity[]): Quantity | null {
  const [first] = parts;
  if (first === undefined || parts.some(({ isNumber }) => isNumber !== first.isNumber)) return null;
  const values = parts.map(({ value }) => value);
  const { isNumber } = first;
  switch (name) {
    case "":
    case "calc":
      return parts.length === 1 ? first : null;
    case "min":
      return { value: Math.min(...values), isNumber };
    case "max":
      return { value: Math.max(...values), isNumber };
    case "clamp": {
      const [least = 0, wanted = 0, most = 0] = values;
      return parts.length === 3 ? { value: Math.max(least, Math.min(wanted, most)), isNumber } : null;
    }
    default:
      return null;
  }
}

const absolute: Readonly<Record<string, number>> = {
  px: 1,
  em: fontPx,
  rem: fontPx,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  pt: 96 / 72,
  pc: 16,
};

function quantity(value: number, unit: string, { width, height }: ShownWindow): Quantity | null {
  if (unit === "") return { value, isNumber: true };
  const length = (of: number | null): Quantity | null => (of === null ? null : { value: value * of, isNumber: false });
  if (Object.hasOwn(absolute, unit)) return length(absolute[unit] ?? null);
  const both = width === null || height === null ? null : ([width, height] as const);
  switch (unit.replace(/^[sld](?=v)/, "")) {
    case "vw":
    case "vi":
      return length(width === null ? null : width / 100);
    case "vh":
    case "vb":
      return length(height === null ? null : height / 100);
    case "vmin":
      return length(both === null ? null : Math.min(...both) / 100);
    case "vmax":
      return length(both === null ? null : Math.max(...both) / 100);
    default:
      return null;
  }
}

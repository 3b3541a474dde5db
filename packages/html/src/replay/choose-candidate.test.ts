import { describe, expect, test } from "@jest/globals";
import { chooseCandidate } from "./choose-candidate.js";
import { readLength } from "./css-length.js";
import { matchesCondition, matchesMedia } from "./media-query.js";

const desk = { width: 1280, height: 900, scale: 1 };
const phone = { width: 390, height: 844, scale: 3 };
const framed = { width: null, height: null, scale: 2 };

describe("a length", () => {
  test.each([
    ["100px", 100],
    ["50vw", 640],
    ["10vh", 90],
    ["2rem", 32],
    ["0", 0],
    ["calc(100vw - 2rem)", 1248],
    ["calc((100vw - 80px) / 3)", 400],
    ["min(100vw, 640px)", 640],
    ["max(10px, 1em)", 16],
    ["clamp(100px, 50vw, 500px)", 500],
    ["calc(100% - 2px)", null],
    ["auto", null],
    ["12", null],
    ["calc(1px / 0)", null],
    ["calc(1px * 2px)", null],
    ["var(--w)", null],
    ["", null],
    ["(".repeat(500), null],
  ])("%s", (text, expected) => expect(readLength(text, desk)).toBe(expected));

  test("that depends on a window which is not known", () => {
    expect([readLength("50vw", framed), readLength("50px", framed)]).toEqual([null, 50]);
  });
});

describe("a media query", () => {
  test.each([
    ["", true],
    ["(min-width: 600px)", true],
    ["(max-width: 600px)", false],
    ["screen and (min-width: 40em) and (max-width: 90em)", true],
    ["print", false],
    ["not print", true],
    ["only screen and (min-width: 2000px)", false],
    ["print, (min-width: 100px)", true],
    ["(width >= 1000px)", true],
    ["(400px <= width < 1280px)", false],
    ["(600px < width)", true],
    ["(min-width: 1px) or (color-gamut: p3)", true],
    ["(max-width: 1px) and (color-gamut: p3)", false],
    ["(color-gamut: p3)", null],
    ["not (max-width: 600px)", true],
    ["(orientation: landscape)", true],
    ["(min-aspect-ratio: 1/1)", true],
    ["(-webkit-min-device-pixel-ratio: 2)", false],
    ["(min-resolution: 96dpi)", true],
    ["(min-resolution: 1.5dppx)", false],
    ["(prefers-color-scheme: dark)", false],
    ["(scripting: none)", false],
    ["(((min-width: 1px)))", true],
    ["nonsense(", null],
    ["(".repeat(900), null],
  ])("%s", (query, expected) => expect(matchesMedia(query, desk)).toBe(expected));

  test("in a frame whose size nobody knows, and as `sizes` has it", () => {
    expect([matchesMedia("(min-width: 1px)", framed), matchesMedia("(min-resolution: 2dppx)", framed)]).toEqual([
      null,
      true,
    ]);
    expect(matchesCondition("(min-width: 1px) and (max-width: 500px)", phone)).toBe(true);
  });
});

describe("a candidate", () => {
  const chosen = (srcset: string, window: typeof desk | typeof framed, sizes?: string, hasSrc = true) => {
    const found = chooseCandidate({ srcset, sizes, hasSrc }, window, (url) => url !== "missing.png");
    return found === null || found === "src" ? found : found.url;
  };
  test.each([
    ["by density, one", "a.png 1x, b.png 2x", desk, undefined, "a.png"],
    ["by density, three", "a.png 1x, b.png 2x", phone, undefined, "b.png"],
    ["beside src", "b.png 2x", desk, undefined, "src"],
    ["beside src, dense", "b.png 2x, c.png 3x", phone, undefined, "c.png"],
    ["in a frame", "b.png 2x", framed, undefined, "b.png"],
    ["by width", "s.png 400w, m.png 800w, l.png 1600w", desk, "50vw", "m.png"],
    ["by width, whole", "s.png 400w, m.png 800w, l.png 1600w", desk, undefined, "l.png"],
    ["by width on a phone", "s.png 400w, m.png 800w, l.png 1600w", phone, "(max-width: 500px) 100vw, 300px", "l.png"],
    ["by a condition that does not hold", "s.png 300w, l.png 1600w", desk, "(max-width: 500px) 100vw, 300px", "s.png"],
    [
      "by an entry with a calculation",
      "s.png 300w, l.png 1600w",
      desk,
      "(min-width: 1px) calc(200px + 100px)",
      "s.png",
    ],
    ["that is missing", "missing.png 400w, l.png 1600w", desk, "300px", "l.png"],
    ["by what nobody knows", "s.png 300w, l.png 1600w", desk, "auto", null],
    ["in a frame by width", "s.png 300w, l.png 1600w", framed, undefined, null],
    ["of a strange kind", "s.png 300q", desk, undefined, null],
  ])("%s", (_, srcset, window, sizes, expected) => expect(chosen(srcset, window, sizes)).toBe(expected));

  test("near the next one, as Blink takes the geometric mean", () => {
    const at = (scale: number) => chosen("a.png 1x, b.png 2x", { ...desk, scale }, undefined, false);
    expect([at(1.4), at(1.42), at(0.5)]).toEqual(["a.png", "b.png", "a.png"]);
  });
});

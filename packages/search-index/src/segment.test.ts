import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { composed, composesWith, foldBytes, Folder, foldText, unifyLineEnds } from "./fold-case.js";
import { makeNeedle, type Needle } from "./needle.js";
import { candidateFrames, type Section } from "./segment.js";
import { openSection } from "./open-segment.js";
import { countMatches, eachChunk, eachWholeDocument, type Sought } from "./segment-reader.js";
import { SectionWriter } from "./segment-writer.js";
import { FrameRows } from "./frame-rows.js";
import { pairRow, quadRow, rowsOf, octetRow, trigramRow } from "./grams.js";

const bytesOf = (text: string) => foldBytes(Buffer.from(text, "utf8"));

/** Counts matches with accents composed and simple case folding, by the engine's own regular expressions. */
function oracle(text: string, phrase: string): number {
  const pattern = composed(phrase)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return [...composed(text).replaceAll(/\r\n?/g, "\n").matchAll(new RegExp(pattern, "giu"))].length;
}

function sectionOf(texts: readonly string[]): Section {
  const writer = new SectionWriter();
  for (const text of texts) writer.add(bytesOf(text));
  return writer.finish();
}

function candidatesIn({ rowBytes, filter, frameEnds }: Section, { rows }: Needle): Int32Array {
  const all = Buffer.concat(rows.map((row) => filter.subarray(row * rowBytes, (row + 1) * rowBytes)));
  return Int32Array.from(candidateFrames(all, rowBytes, frameEnds.length));
}

/** Searches as the product does: by the filter's rows to the frames, then through these. */
function search(section: Section, phrase: string, only: readonly number[] | null = null): number[] {
  const needle = makeNeedle(phrase);
  const candidates = candidatesIn(section, needle);
  const { positions, counts } = countMatches(openSection(section), {
    needle: needle.bytes,
    straddles: needle.straddles,
    candidates,
    only: only === null ? null : Int32Array.from(only),
  });
  const all = Array.from({ length: section.documents }, () => 0);
  positions.forEach((position, index) => (all[position] = counts[index] ?? 0));
  return all;
}

/** Returns the chunks into which a text is cut. */
function chunksOf(text: string): Buffer[] {
  const found: Buffer[] = [];
  eachChunk(openSection(sectionOf([text])), (_, bytes, from, to) => found.push(Buffer.from(bytes.subarray(from, to))));
  return found;
}

describe("folding", () => {
  test("is that of regular expressions with the flags i and u, for every letter", () => {
    const wrong: string[] = [];
    for (let point = 1; point <= 0x1efff; point += 1) {
      if ((point >= 0xd800 && point <= 0xdfff) || point === 0x0d) continue;
      const letter = String.fromCodePoint(point);
      const folded = foldText(letter);
      if (folded === letter && letter.toLowerCase() === letter && letter.toUpperCase() === letter) continue;
      if (folded.length !== letter.length) wrong.push(`length of ${point.toString(16)}`);
      if (folded !== letter && !new RegExp(`^\\u{${point.toString(16)}}$`, "iu").test(folded))
        wrong.push(`too much: ${point.toString(16)}`);
      for (const other of [letter.toLowerCase(), letter.toUpperCase(), letter.toUpperCase().toLowerCase()])
        if (new RegExp(`^\\u{${point.toString(16)}}$`, "iu").test(other) && foldText(other) !== folded)
          wrong.push(`too little: ${point.toString(16)}`);
      if (Buffer.from(bytesOf(letter)).toString("utf8") !== foldText(composed(letter)))
        wrong.push(`bytes of ${point.toString(16)}`);
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    ["ILIK", "ilik"],
    ["ılık", "ılık"],
    ["İ", "İ"],
    ["STRAẞE", "straße"],
    ["\u212a ſ ΣΑΣ", "k s σασ"],
    ["a\r\nb\rc\n", "a\nb\nc\n"],
    ["\u{10400}🙂é", "\u{10428}🙂é"],
    ["CAFE\u0301 e\u0301", "caf\u00e9 \u00e9"],
  ])("folds %j", (text, folded) => {
    expect(Buffer.from(bytesOf(text)).toString("utf8")).toBe(folded);
  });
});

test("every character that composing may change is told as one", () => {
  /** Marks that change nothing: those that choose how the letter before them is drawn. */
  const isSelector = (point: number) => point >= 0xfe00 && point <= 0xfe0f;
  const wrong: string[] = [];
  for (let point = 0x80; point <= 0x10ffff; point += 1) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const letter = String.fromCodePoint(point);
    const joins = /[\p{M}\u1161-\u1175\u11a8-\u11c2]/u.test(letter) && !isSelector(point);
    if ((joins || composed(letter) !== letter) && !composesWith(point)) wrong.push(point.toString(16));
  }
  expect(wrong).toEqual([]);
  expect([..."aé“…日한🙂"].filter((letter) => composesWith(letter.codePointAt(0) ?? 0))).toEqual([]);
});

test("folds texts into the same memory, whatever came before", () => {
  const folder = new Folder();
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 2_000 })), (texts) => {
      for (const one of texts) {
        const wellFormed = one.toWellFormed();
        expect(Buffer.from(folder.fold(Buffer.from(wellFormed, "utf8"))).toString("utf8")).toBe(
          unifyLineEnds(foldText(composed(wellFormed))),
        );
      }
    }),
  );
  const long = `${"A".repeat(511)}É\r\n${"Ⱥ".repeat(3_000)}\r`;
  expect(Buffer.from(folder.fold(Buffer.from(long, "utf8"))).toString("utf8")).toBe(unifyLineEnds(foldText(long)));
});

test("folds a text that grows when it is composed, and then needs more memory than there is", () => {
  const folder = new Folder();
  // written as one character of three bytes, and composed as two of two bytes each
  const [few, many] = [1_000, 1_500].map((times) => "\ufb35".repeat(times));
  for (const text of [few, many])
    expect(Buffer.from(folder.fold(Buffer.from(text ?? "", "utf8"))).toString("utf8")).toBe(composed(text ?? ""));
});

describe("a section", () => {
  const piece = fc.constantFrom(
    "a",
    "A",
    "aa",
    "b",
    "ab",
    "\n",
    "\r\n",
    "<p>",
    "</p>",
    "><",
    "<td>x</td>",
    "é",
    "É",
    "e\u0301",
    "🙂",
    "ß",
    "ẞ",
    "ı",
    "İ",
    "K",
    "\u212a",
    "%",
    "_",
    "\\",
    " ",
    "line of text\n",
  );
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));

  test("counts any phrase in any texts as reading them does", () => {
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 8 }),
        fc.array(piece, { minLength: 1, maxLength: 4 }),
        (texts, phrase) => {
          const wanted = phrase.join("");
          const section = sectionOf([...texts, ...texts.map((one) => `${one}${wanted}`)]);
          expect(search(section, wanted)).toEqual(
            [...texts, ...texts.map((one) => `${one}${wanted}`)].map((one) => oracle(one, wanted)),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test("gives its documents back, so that packs can be merged without the contents", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), (texts) => {
        const section = sectionOf(texts);
        const back: string[] = [];
        eachWholeDocument(openSection(section), null, (_, bytes) => back.push(bytes.toString("utf8")));
        expect(back).toEqual(texts.map((one) => Buffer.from(bytesOf(one)).toString("utf8")));
      }),
    );
  });

  test("takes documents of other sections as if they were added one by one", () => {
    const textsOf = (section: Section) => {
      const back: string[] = [];
      eachWholeDocument(openSection(section), null, (_, bytes) => back.push(bytes.toString("utf8")));
      return back;
    };
    fc.assert(
      fc.property(fc.array(fc.array(fc.tuple(text, fc.boolean()), { maxLength: 6 }), { maxLength: 4 }), (packs) => {
        const merged = new SectionWriter();
        for (const pack of packs)
          merged.addFrom(
            openSection(sectionOf(pack.map(([one]) => one))),
            Int32Array.from(pack.flatMap(([, isKept], position) => (isKept ? [position] : []))),
          );
        const kept = packs.flatMap((pack) => pack.flatMap(([one, isKept]) => (isKept ? [one] : [])));
        const [section, anew] = [merged.finish(), sectionOf(kept)];
        expect(textsOf(section)).toEqual(textsOf(anew));
        for (const same of ["documents", "chunks", "textBytes", "frameChunks", "rowBytes"] as const)
          expect(section[same]).toEqual(anew[same]);
      }),
    );
  });

  test("sets the rows of a frame that its grams of one, two, three, four and eight bytes have, and no others", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (texts) => {
        const { filter, rowBytes, chunks } = sectionOf(texts);
        if (chunks === 0) return;
        const wanted = new Set<number>();
        for (const whole of texts.flatMap((one) => chunksOf(one))) {
          for (let at = 0; at < whole.length; at += 1) {
            wanted.add(whole.readUInt8(at));
            if (at > 0) wanted.add(pairRow(whole.readUInt16BE(at - 1)));
            if (at > 1) wanted.add(trigramRow(whole.readUIntBE(at - 2, 3)));
            if (at > 2) wanted.add(quadRow(whole.readInt32BE(at - 3)));
            if (at > 6) wanted.add(octetRow(whole.readInt32BE(at - 7), whole.readInt32BE(at - 3)));
          }
        }
        expect(rowBytes).toBe(1);
        expect([...filter.entries()].flatMap(([row, bits]) => (bits === 0 ? [] : [row]))).toEqual(
          [...wanted].toSorted((one, other) => one - other),
        );
      }),
    );
  });

  test("is asked for rows that a frame with the phrase has, and for no more than two dozen", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 20 }), (phrase, more) => {
        const asked = rowsOf(phrase.map((byte) => byte & 0x7f));
        expect(asked.length).toBeLessThanOrEqual(24);
        expect(asked.length > 0).toBe(phrase.length > 0);
        const met = new Set<number>();
        new FrameRows().each(
          Uint8Array.of(...more.map((byte) => byte & 0x7f), ...phrase.map((byte) => byte & 0x7f), 0xff),
          (row) => met.add(row),
        );
        expect(asked.filter((row) => !met.has(row))).toEqual([]);
      }),
    );
  });

  test("rules out a frame that has all pieces of a phrase, but at different places", () => {
    const frame = sectionOf(["public static <p>final\nstatic abstract <p>abstract final\nfinal class, ic finals"]);
    expect(candidatesIn(frame, makeNeedle("static final"))).toHaveLength(0);
    expect(candidatesIn(frame, makeNeedle("abstract final"))).toHaveLength(1);
  });

  const manual = (seed: number, lines: number) =>
    Array.from(
      { length: lines },
      (_, line) => `<tr><td>entry ${(seed * 7919 + line * 104729) % 100003}</td><td>common words here</td></tr>`,
    );

  test("keeps what documents share once, also where lines were put in between", () => {
    const lines = manual(1, 2_000);
    const other = lines.toSpliced(1_000, 0, "<tr><td>new</td></tr>");
    const alone = sectionOf([lines.join("\n")]);
    const both = sectionOf([lines.join("\n"), other.join("\n"), lines.join("\n")]);
    expect(both.textBytes).toBeLessThan(alone.textBytes * 1.05);
  });

  test("reads few frames for a rare phrase, and all documents are right over many frames", () => {
    const texts = Array.from({ length: 40 }, (_, index) => manual(index + 1, 2_000).join(index % 2 === 0 ? "\n" : ""));
    texts[17] += "the quick brown fox ~ kb";
    const section = sectionOf(texts);
    expect(section.frameEnds.length).toBeGreaterThan(10);
    for (const phrase of ["quick brown FOX", "KB", "xz", "~", "é"])
      expect(candidatesIn(section, makeNeedle(phrase)).length).toBeLessThanOrEqual(3);
    expect(candidatesIn(section, makeNeedle("e"))).toHaveLength(section.frameEnds.length);
    for (const phrase of [
      "quick brown FOX",
      "K b",
      "kb",
      "xz",
      "~",
      "é",
      "x",
      "entry 1",
      "</td><td>common",
      "e",
      "re",
      "</tr>\n<tr>",
      "</tr><tr><td>entry",
      "99",
    ])
      expect([phrase, search(section, phrase)]).toEqual([phrase, texts.map((one) => oracle(one, phrase))]);
  });

  test("looks into some documents and no others", () => {
    const texts = Array.from({ length: 40 }, (_, index) => manual(index % 30, 1_200).join(index % 2 === 0 ? "\n" : ""));
    const section = sectionOf(texts);
    const only = [0, 3, 17, 31, 39];
    for (const phrase of ["entry 1", "</tr>\n<tr>", "</tr><tr><td>entry", "e", "no such thing"])
      expect([phrase, search(section, phrase, only)]).toEqual([
        phrase,
        texts.map((one, index) => (only.includes(index) ? oracle(one, phrase) : 0)),
      ]);
    expect(search(section, "entry", [])).toEqual(texts.map(() => 0));
  });

  test("reads no frame again that an earlier look for the phrase has read", () => {
    const texts = Array.from({ length: 40 }, (_, index) => manual(index + 1, 1_200).join("\n"));
    const section = openSection(sectionOf(texts));
    const only = Int32Array.from([0, 3, 17, 31]);
    for (const phrase of ["entry 1", "Common WORDS", "no such thing", "e"]) {
      const needle = makeNeedle(phrase).bytes;
      const look = (more: Partial<Sought>, body = section.body) =>
        countMatches({ ...section, body }, { needle, straddles: false, candidates: null, only: null, ...more });
      const { frames: known } = look({ only });
      const [first = -1] = known?.frames ?? [];
      const body = Uint8Array.from(section.body).fill(0, section.frameEnds[first - 1] ?? 0, section.frameEnds[first]);
      expect(() => look({}, body)).toThrow("Unknown frame descriptor");
      expect(look({ known }, body)).toEqual(look({}));
      expect(look({ known, only }, body)).toEqual(look({ only }));
    }
  });

  test("refuses sequences that end too early", () => {
    const section = sectionOf(["a", "b\nc"]);
    expect(() => openSection({ ...section, documents: section.documents + 1 })).toThrow("end too early");
  });

  test("holds documents without anything, and one very long line", () => {
    const texts = ["", "x".repeat(500_000), "", "y"];
    const section = sectionOf(texts);
    expect(search(section, "xx")).toEqual([0, 250_000, 0, 0]);
    expect(search(section, "y")).toEqual([0, 0, 0, 1]);
    expect(search(sectionOf([]), "y")).toEqual([]);
  });
});

import { frameOfChunk, freeFrame, type OpenSection, readFrame } from "./open-segment.js";
import { chunkEnd } from "./segment.js";

/** The phrase to count, and where. */
export interface Sought {
  needle: Uint8Array;
  /** Whether the phrase may cross the end of a chunk (see `makeNeedle`). */
  straddles: boolean;
  /** Frames that may contain the longest part of the phrase, ascending; null stands for all. */
  candidates: Int32Array | null;
  /** Positions of the wanted documents, ascending; null stands for all. */
  only: Int32Array | null;
  /** Results of an earlier search for the same phrase: these frames are not read again. */
  known?: FrameMatches | undefined;
}

/** The matches in some frames of a section. */
export interface FrameMatches {
  frames: Int32Array;
  /** Chunks with the phrase, and how often they have it. */
  chunks: Int32Array;
  counts: Int32Array;
}

/** Documents that contain the phrase, by position, and how often. */
export interface DocumentMatches {
  positions: Int32Array;
  counts: Int32Array;
  /**
   * The matches in the frames that were read, and in the known ones; left out where all documents were wanted, as no other
   * search follows.
   */
  frames?: FrameMatches;
}

/** A frame as text: `ends` holds the index of each chunk's end byte. */
interface ReadableFrame {
  bytes: Buffer;
  firstChunk: number;
  ends: Int32Array;
}

const framesOpenMax = 64;

/** Counts a phrase in the documents of a section; matches do not overlap. Reads only the frames that it needs. */
export function countMatches(section: OpenSection, sought: Sought): DocumentMatches {
  return sought.straddles ? countInDocuments(section, sought) : countInChunks(section, sought);
}

function countInChunks(section: OpenSection, { needle, candidates, only, known }: Sought): DocumentMatches {
  const chunks = section.frameChunks.at(-1) ?? 0;
  // prefix sums of matches by chunk, so the matches in a run are the difference of two entries
  const before = new Int32Array(chunks + 1);
  let any = restore(known, before);
  const read = new Uint8Array(section.frameEnds.length);
  for (const frame of known?.frames ?? []) read[frame] = 1;
  const touched = only === null ? null : framesOf(section, only);
  for (const frame of candidates ?? section.frameEnds.keys()) {
    if (read[frame] === 1 || touched?.[frame] === 0) continue;
    read[frame] = 1;
    const bytes = readFrame(section, frame);
    if (countPerChunk(bytes, needle, section.frameChunks[frame] ?? 0, before)) any = true;
    freeFrame(bytes);
  }
  const frames = only === null ? {} : { frames: matchesOf(read, before) };
  if (!any) return { ...none, ...frames };
  for (let chunk = 0; chunk < chunks; chunk += 1) before[chunk + 1] = (before[chunk + 1] ?? 0) + (before[chunk] ?? 0);
  const { runs, runEnds } = section;
  const matches = new MatchList(only?.length ?? section.documents);
  const sum = (position: number): void => {
    const end = runEnds[position] ?? 0;
    let count = 0;
    for (let run = runEnds[position - 1] ?? 0; run < end; run += 2)
      count += (before[runs[run + 1] ?? 0] ?? 0) - (before[runs[run] ?? 0] ?? 0);
    if (count > 0) matches.add(position, count);
  };
  eachPosition(section, only, sum);
  return { ...matches.done(), ...frames };
}

/** @param before matches, each at the number of its chunk + 1 @returns whether there are any */
function restore(known: FrameMatches | undefined, before: Int32Array): boolean {
  known?.chunks.forEach((chunk, index) => (before[chunk + 1] = known.counts[index] ?? 0));
  return known !== undefined && known.chunks.length > 0;
}

/** @param read 1 for each frame that was read @param before matches, each at the number of its chunk + 1 */
function matchesOf(read: Uint8Array, before: Int32Array): FrameMatches {
  const frames = Int32Array.from([...read.keys()].filter((frame) => read[frame] === 1));
  const chunks: number[] = [];
  const counts: number[] = [];
  for (let behind = 1; behind < before.length; behind += 1) {
    const count = before[behind] ?? 0;
    if (count === 0) continue;
    chunks.push(behind - 1);
    counts.push(count);
  }
  return { frames, chunks: Int32Array.from(chunks), counts: Int32Array.from(counts) };
}

/** Counts in whole documents: those with a part in a candidate frame, or all. */
function countInDocuments(section: OpenSection, { needle, candidates, only }: Sought): DocumentMatches {
  const matches = new MatchList(only?.length ?? section.documents);
  const isNear = candidates === null ? null : new Uint8Array(section.frameEnds.length);
  for (const frame of candidates ?? []) if (isNear !== null) isNear[frame] = 1;
  eachWholeDocument(
    section,
    only,
    (position, bytes) => {
      let count = 0;
      for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + needle.length)) count += 1;
      if (count > 0) matches.add(position, count);
    },
    isNear,
  );
  return matches.done();
}

/**
 * Calls back with the text of each document, valid until it returns.
 * @param only their positions, ascending; null stands for all
 * @param isNear flags by frame; where given, documents without a part in a flagged frame are left out
 */
export function eachWholeDocument(
  section: OpenSection,
  only: Int32Array | null,
  take: (position: number, bytes: Buffer) => void,
  isNear: Uint8Array | null = null,
): void {
  const open = new Map<number, ReadableFrame>();
  const opened = (number: number): ReadableFrame => {
    const known = open.get(number);
    if (known !== undefined) return known;
    const [oldest] = open;
    if (open.size >= framesOpenMax && oldest !== undefined) {
      open.delete(oldest[0]);
      freeFrame(oldest[1].bytes);
    }
    const made = openFrame(section, number);
    open.set(number, made);
    return made;
  };
  const { runs, runEnds } = section;
  let whole: Buffer = Buffer.allocUnsafe(1 << 16);
  eachPosition(section, only, (position) => {
    if (isNear !== null && !touches(section, position, isNear)) return;
    let length = 0;
    const runsEnd = runEnds[position] ?? 0;
    for (let run = runEnds[position - 1] ?? 0; run < runsEnd; run += 2) {
      const end = runs[run + 1] ?? 0;
      for (let chunk = runs[run] ?? 0; chunk < end; chunk += 1) {
        const frame = opened(frameOfChunk(section, chunk));
        const local = chunk - frame.firstChunk;
        const from = local === 0 ? 0 : (frame.ends[local - 1] ?? 0) + 1;
        const to = frame.ends[local] ?? 0;
        if (length + to - from > whole.length) {
          const larger = Buffer.allocUnsafe((length + to - from) * 2);
          whole.copy(larger, 0, 0, length);
          whole = larger;
        }
        frame.bytes.copy(whole, length, from, to);
        length += to - from;
      }
    }
    take(position, whole.subarray(0, length));
  });
  for (const { bytes } of open.values()) freeFrame(bytes);
}

/** Calls back with every chunk of a section, valid until it returns; frames are read one after the other. */
export function eachChunk(
  section: OpenSection,
  take: (chunk: number, bytes: Buffer, from: number, to: number) => void,
): void {
  let chunk = 0;
  for (const frame of section.frameEnds.keys()) {
    const bytes = readFrame(section, frame);
    for (let from = 0; from < bytes.length; chunk += 1) {
      const to = bytes.indexOf(chunkEnd, from);
      take(chunk, bytes, from, to);
      from = to + 1;
    }
    freeFrame(bytes);
  }
}

function openFrame(section: OpenSection, number: number): ReadableFrame {
  const bytes = readFrame(section, number);
  const firstChunk = section.frameChunks[number] ?? 0;
  const ends = new Int32Array((section.frameChunks[number + 1] ?? 0) - firstChunk);
  for (let chunk = 0, at = 0; chunk < ends.length; chunk += 1) {
    at = bytes.indexOf(chunkEnd, at);
    ends[chunk] = at;
    at += 1;
  }
  return { bytes, firstChunk, ends };
}

function eachPosition(section: OpenSection, only: Int32Array | null, take: (position: number) => void): void {
  if (only === null) for (let position = 0; position < section.documents; position += 1) take(position);
  else for (const position of only) take(position);
}

/** Returns 1 for each frame that contains a part of one of the documents. */
function framesOf(section: OpenSection, positions: Int32Array): Uint8Array {
  const touched = new Uint8Array(section.frameEnds.length);
  for (const position of positions) eachFrame(section, position, (frame) => void (touched[frame] = 1));
  return touched;
}

function touches(section: OpenSection, position: number, isNear: Uint8Array): boolean {
  let near = false;
  eachFrame(section, position, (frame) => {
    if (isNear[frame] === 1) near = true;
  });
  return near;
}

function eachFrame(section: OpenSection, position: number, take: (frame: number) => void): void {
  const { runs, runEnds, frameChunks } = section;
  const end = runEnds[position] ?? 0;
  let frame = 0;
  for (let run = runEnds[position - 1] ?? 0; run < end; run += 2) {
    const first = runs[run] ?? 0;
    const behind = runs[run + 1] ?? 0;
    // runs mostly follow one another within a frame
    if (first < (frameChunks[frame] ?? 0) || first >= (frameChunks[frame + 1] ?? 0))
      frame = frameOfChunk(section, first);
    take(frame);
    while ((frameChunks[frame + 1] ?? behind) < behind) {
      frame += 1;
      take(frame);
    }
  }
}

/**
 * Counts each chunk's matches into `before[chunk + 1]`.
 * @returns whether there were any
 */
function countPerChunk(bytes: Buffer, needle: Uint8Array, firstChunk: number, before: Int32Array): boolean {
  let at = bytes.indexOf(needle);
  if (at === -1) return false;
  let chunk = firstChunk + 1;
  let end = bytes.indexOf(chunkEnd);
  const first = needle[0] ?? 0;
  const second = needle[1] ?? 0;
  const { length } = needle;
  if (length <= 2) {
    // a phrase this short is found so often that a call per match costs more than a loop over every byte
    for (let place = 0, count = 0; place < bytes.length; place += 1) {
      const byte = bytes[place] ?? 0;
      if (byte === first && (length === 1 || bytes[place + 1] === second)) {
        count += 1;
        place += length - 1;
      } else if (byte === chunkEnd) {
        before[chunk++] = count;
        count = 0;
      }
    }
    return true;
  }
  while (at !== -1) {
    while (end < at) {
      chunk += 1;
      end = bytes.indexOf(chunkEnd, end + 1);
    }
    before[chunk] = (before[chunk] ?? 0) + 1;
    at = bytes.indexOf(needle, at + length);
  }
  return true;
}

class MatchList {
  private readonly positions: Int32Array;
  private readonly counts: Int32Array;
  private length = 0;

  constructor(max: number) {
    this.positions = new Int32Array(max);
    this.counts = new Int32Array(max);
  }

  add(position: number, count: number): void {
    this.positions[this.length] = position;
    this.counts[this.length++] = count;
  }

  done(): DocumentMatches {
    return { positions: this.positions.slice(0, this.length), counts: this.counts.slice(0, this.length) };
  }
}

const none: DocumentMatches = { positions: new Int32Array(0), counts: new Int32Array(0) };

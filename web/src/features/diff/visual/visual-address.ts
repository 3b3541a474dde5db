import { limits } from "@web-tester/contracts/limits";
import { visualLayout } from "@web-tester/contracts/entities/vocabulary";
import { z } from "zod";

/** The layouts: stacked and side by side are in the specification; the slider puts one page on top of the other. */
export const shownLayout = z.enum([...visualLayout.options, "slider"]);
export type ShownLayout = z.infer<typeof shownLayout>;
/** What is marked: pixels in pictures that a browser drew, or words in the pages themselves. */
export const comparedBy = z.enum(["pixels", "text"]);
export type ComparedBy = z.infer<typeof comparedBy>;
export const zooms = ["fit", "50", "100", "150"] as const;
export const zoom = z.enum(zooms);
export type Zoom = z.infer<typeof zoom>;

export interface VisualChoice {
  layout: ShownLayout;
  by: ComparedBy;
  marks: boolean;
  zoom: Zoom;
  threshold: number;
}

/** What the address of /diff/visual contains; `a` and `b` are undefined where they are missing. */
export interface VisualAddress extends VisualChoice {
  a: string | undefined;
  b: string | undefined;
}

export function readVisualAddress(search: URLSearchParams): VisualAddress {
  const threshold = Number(search.get("threshold") ?? Number.NaN);
  return {
    a: search.get("a")?.trim() || undefined,
    b: search.get("b")?.trim() || undefined,
    layout: shownLayout.safeParse(search.get("layout")).data ?? "side",
    by: comparedBy.safeParse(search.get("by")).data ?? "pixels",
    marks: search.get("marks") !== "off",
    zoom: zoom.safeParse(search.get("zoom")).data ?? "fit",
    threshold: threshold >= 0 && threshold <= 1 ? threshold : limits.defaultPictureThreshold,
  };
}

export function writeVisualAddress(search: URLSearchParams, choice: Partial<VisualChoice>): URLSearchParams {
  const next = new URLSearchParams(search);
  if (choice.layout !== undefined) next.set("layout", choice.layout);
  if (choice.by !== undefined) next.set("by", choice.by);
  if (choice.zoom !== undefined) next.set("zoom", choice.zoom);
  if (choice.threshold !== undefined) next.set("threshold", String(choice.threshold));
  if (choice.marks === true) next.delete("marks");
  if (choice.marks === false) next.set("marks", "off");
  return next;
}

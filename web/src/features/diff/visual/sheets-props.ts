import type { PictureRegion, VisualDiff, VisualPictures } from "@web-tester/contracts/entities/compare";
import type { ShownLayout, Zoom } from "./visual-address.js";

type Picture = Extract<VisualPictures, { state: "compared" }>["a"];

export interface SheetSide {
  side: VisualDiff["a"];
  /** Where the page itself is shown. */
  frame: string;
  /** What a browser made of it; undefined until it is known. */
  picture: Picture | undefined;
}
export interface SheetPair {
  a: SheetSide;
  b: SheetSide;
}

export interface SheetsProps {
  pair: SheetPair;
  /** Pictures in place of the pages themselves. */
  asPictures: boolean;
  layout: ShownLayout;
  zoom: Zoom;
  regions: readonly PictureRegion[];
  /** Address of a picture that tints what differs. */
  mask: string | null;
  current: number;
  onPick: (region: number) => void;
}

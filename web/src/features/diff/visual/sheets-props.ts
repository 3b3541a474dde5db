import type { PictureRegion, VisualDiff, VisualPictures } from "@web-tester/contracts/entities/compare";
import type { ShownLayout, Zoom } from "./visual-address.js";

type Picture = Extract<VisualPictures, { state: "compared" }>["a"];

export interface SheetSide {
  side: VisualDiff["a"];
  /** Address that shows the page itself. */
  frame: string;
  /** The picture that a browser drew of it; undefined until it is known. */
  picture: Picture | undefined;
}
export interface SheetPair {
  a: SheetSide;
  b: SheetSide;
}

export interface SheetsProps {
  pair: SheetPair;
  /** Whether pictures are shown in place of the pages themselves. */
  asPictures: boolean;
  layout: ShownLayout;
  zoom: Zoom;
  regions: readonly PictureRegion[];
  /** Address of a picture that tints what differs. */
  mask: string | null;
  current: number;
  onPick: (region: number) => void;
}

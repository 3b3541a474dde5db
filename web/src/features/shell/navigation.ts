import type { Label } from "../../texts/text.js";

/** The entries of the main navigation. */
export const navigation: readonly {
  readonly to: string;
  readonly label: Label;
  readonly isHere: (path: string) => boolean;
}[] = [
  {
    to: "/",
    label: "Objects",
    isHere: (path) => path === "/" || /^\/(objects|instances|snapshots|diff|runs|checks|schedules)(\/|$)/.test(path),
  },
  { to: "/diff-anything", label: "Diff Anything", isHere: (path) => path === "/diff-anything" },
  { to: "/format-html", label: "HTML Formatter", isHere: (path) => path === "/format-html" },
  { to: "/import-export", label: "Import/Export", isHere: (path) => path === "/import-export" },
];

/** Links of the footer. */
export const legal = [
  { to: "/imprint", label: "Imprint" },
  { to: "/privacy", label: "Data Protection" },
] as const satisfies readonly { to: string; label: Label }[];

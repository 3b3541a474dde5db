import type { Label } from "../../texts/text.js";

/** The main navigation; a screen joins it when its route exists. */
export const navigation: readonly {
  readonly to: string;
  readonly label: Label;
  readonly isHere: (path: string) => boolean;
}[] = [
  {
    to: "/",
    label: "Objects",
    isHere: (path) => path === "/" || /^\/(objects|instances|snapshots|diff)(\/|$)/.test(path),
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

/** What single keys do, for the list that "?" shows. */
export const keyList: readonly { readonly keys: readonly string[]; readonly does: Label }[] = [
  { keys: ["Ctrl", "K"], does: "Go to an object or page" },
  { keys: ["/"], does: "Focus the filter" },
  { keys: ["j"], does: "Next row" },
  { keys: ["k"], does: "Previous row" },
  { keys: ["Enter"], does: "Open" },
  { keys: ["n"], does: "Next change" },
  { keys: ["p"], does: "Previous change" },
  { keys: ["u"], does: "Unified view" },
  { keys: ["s"], does: "Split view" },
  { keys: ["x"], does: "Swap A and B" },
  { keys: ["v"], does: "Visual diff, and back to text" },
  { keys: ["c"], does: "Live job console" },
  { keys: ["t"], does: "Light or dark" },
  { keys: ["Esc"], does: "Close, then leave the field" },
  { keys: ["?"], does: "This list" },
];

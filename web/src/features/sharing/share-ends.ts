import type { Label } from "../../texts/text.js";

/** How long a link opens, in hours. */
export const sharePresets = [
  { value: "24", label: "A day" },
  { value: "168", label: "A week" },
  { value: "720", label: "30 days" },
  { value: "2160", label: "90 days" },
  { value: "8760", label: "A year" },
] as const satisfies readonly { value: string; label: Label }[];

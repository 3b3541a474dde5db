/**
 * Colours by their purpose, one value per theme. Each becomes the CSS variable `--wt-<name>`; nothing else in the application names a
 * colour. Every pair of text and background that is used together passes WCAG AA.
 */
const table = {
  bg: ["#F7F8FA", "#0F1114"],
  surface: ["#FFFFFF", "#16181C"],
  sunken: ["#F2F3F6", "#1C1F24"],
  line: ["#E3E6EB", "#2A2E36"],
  "line-strong": ["#C8CDD6", "#434A55"],
  field: ["#8A919E", "#6B7380"],
  text: ["#15171C", "#ECEEF1"],
  "text-2": ["#4A505C", "#B4BAC5"],
  "text-3": ["#646B78", "#929AA7"],
  accent: ["#4648D4", "#5B5DE6"],
  "accent-hover": ["#3B3DBF", "#6A6CF0"],
  "accent-text": ["#3E40C6", "#A9ABFB"],
  "accent-soft": ["#EEEEFC", "#22233D"],
  "accent-line": ["#C9CAF6", "#3F4180"],
  quiet: ["#C9CED7", "#464D59"],
  "added-text": ["#0F6A38", "#63D394"],
  "added-soft": ["#E7F6EC", "#11271A"],
  "added-gutter": ["#D3EFDC", "#173423"],
  "added-mark": ["#A9E2BC", "#1F5B37"],
  "added-solid": ["#2A9A5B", "#37B06C"],
  "removed-text": ["#B02A1E", "#FF938A"],
  "removed-soft": ["#FDEEEC", "#2E1716"],
  "removed-gutter": ["#FADDD9", "#3D1D1B"],
  "removed-mark": ["#F8BFB7", "#762B26"],
  "removed-solid": ["#D9483B", "#E5594D"],
  "changed-text": ["#7A5000", "#EFBF4A"],
  "changed-soft": ["#FFF4D6", "#2B2311"],
  "changed-line": ["#F0D58C", "#574617"],
  "changed-solid": ["#BE8800", "#D9A327"],
  "failed-text": ["#B02A1E", "#FF938A"],
  "failed-soft": ["#FDEEEC", "#2E1716"],
  "failed-line": ["#F3C3BD", "#5E2A26"],
  "failed-solid": ["#D23A2D", "#F0655A"],
  "running-text": ["#1B5DBF", "#7DB1FF"],
  "running-soft": ["#E8F1FE", "#14243C"],
  "running-line": ["#BCD5FA", "#264677"],
  "running-solid": ["#2F7BEA", "#3E8BFF"],
  danger: ["#C4342A", "#C4342A"],
  "danger-hover": ["#AC2C23", "#D43F34"],
  "syntax-tag": ["#3B4FA8", "#A8B6FF"],
  "syntax-attribute": ["#6B4E9E", "#CBB2F2"],
  "syntax-string": ["#3F6B5C", "#9CCDB9"],
  "syntax-comment": ["#6B7280", "#8B93A0"],
  hatch: ["#E9EBEF", "#23272E"],
  overlay: ["rgba(21, 23, 28, 0.38)", "rgba(4, 5, 7, 0.66)"],
  float: [
    "0 8px 24px rgba(21, 23, 28, 0.12), 0 2px 6px rgba(21, 23, 28, 0.08)",
    "0 8px 24px rgba(0, 0, 0, 0.5), 0 2px 6px rgba(0, 0, 0, 0.4)",
  ],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

export type Token = keyof typeof table;
export type ThemeName = "light" | "dark";

/** All tokens of one theme as CSS custom properties. */
export function tokenVariables(theme: ThemeName): Record<`--${string}`, string> {
  const side = theme === "light" ? 0 : 1;
  return Object.fromEntries(Object.entries(table).map(([name, values]) => [`--wt-${name}`, values[side]]));
}

/** One token's value, for code that needs the colour itself. */
export const tokenValue = (name: Token, theme: ThemeName): string => table[name][theme === "light" ? 0 : 1];

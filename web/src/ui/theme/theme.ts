import {
  createTheme,
  type CSSVariablesResolver,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from "@mantine/core";
import { t } from "../../texts/text.js";
import { type ThemeName, tokenValue, tokenVariables } from "./tokens.js";

const indigo: MantineColorsTuple = [
  "#EEEEFC",
  "#DCDCFA",
  "#C9CAF6",
  "#A9ABFB",
  "#8486F0",
  "#6A6CF0",
  "#5B5DE6",
  "#4648D4",
  "#3E40C6",
  "#3233A6",
];

/** Stores the choice of colour scheme; `theme.js` in index.html reads the same key before the first paint. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: "web-tester-color-scheme" });

export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: { light: 7, dark: 6 },
  colors: { indigo },
  white: "#FFFFFF",
  black: "#15171C",
  fontFamily: '"Inter Variable", system-ui, sans-serif',
  fontFamilyMonospace: '"JetBrains Mono Variable", ui-monospace, monospace',
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "20px" },
  lineHeights: { xs: "16px", sm: "20px", md: "20px", lg: "22px", xl: "28px" },
  spacing: { xs: "4px", sm: "8px", md: "12px", lg: "16px", xl: "24px" },
  radius: { xs: "4px", sm: "6px", md: "8px", lg: "12px", xl: "16px" },
  defaultRadius: "sm",
  breakpoints: { xs: "30em", sm: "48em", md: "68.75em", lg: "80em", xl: "90em" },
  cursorType: "pointer",
  respectReducedMotion: true,
  focusRing: "auto",
  components: {
    // Floating elements belong to the page's landmarks, also for screen reader users.
    Portal: { defaultProps: { target: "#floats" } },
    Select: { defaultProps: { comboboxProps: { transitionProps: { duration: 160 }, shadow: "none", offset: 4 } } },
    Modal: {
      // a function, because the language may have changed since
      defaultProps: () => ({
        radius: "lg",
        transitionProps: { duration: 180, transition: "pop" },
        overlayProps: { color: "transparent" },
        closeButtonProps: { "aria-label": t("Close") },
      }),
    },
    Collapse: { defaultProps: { transitionDuration: 160 } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: false, transitionProps: { duration: 120 } } },
  },
});

function mantineVariables(name: ThemeName): Record<`--${string}`, string> {
  return {
    ...tokenVariables(name),
    "--mantine-color-body": tokenValue("bg", name),
    "--mantine-color-text": tokenValue("text", name),
    "--mantine-color-dimmed": tokenValue("text-3", name),
    "--mantine-color-placeholder": tokenValue("text-3", name),
    "--mantine-color-default": tokenValue("surface", name),
    "--mantine-color-default-hover": tokenValue("sunken", name),
    "--mantine-color-default-color": tokenValue("text", name),
    "--mantine-color-default-border": tokenValue("line", name),
    "--mantine-color-error": tokenValue("failed-text", name),
    "--mantine-color-anchor": tokenValue("accent-text", name),
    "--mantine-color-disabled": tokenValue("sunken", name),
    "--mantine-color-disabled-color": tokenValue("text-3", name),
    "--mantine-color-disabled-border": tokenValue("line", name),
  };
}

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: mantineVariables("light"),
  dark: mantineVariables("dark"),
});

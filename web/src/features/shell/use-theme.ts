import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";

/** The theme on screen and a switch that is remembered; choosing the same as the system has makes it follow the system again. */
export function useTheme(): { theme: "light" | "dark"; toggle: () => void } {
  const theme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const { setColorScheme } = useMantineColorScheme();
  const toggle = () => {
    const wanted = theme === "light" ? "dark" : "light";
    const system = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    setColorScheme(wanted === system ? "auto" : wanted);
  };
  return { theme, toggle };
}

import { useEffect } from "react";

const scheme = "data-mantine-color-scheme";

/** Paper is light, whatever the screen is. */
export function usePaper(): void {
  useEffect(() => {
    const root = document.documentElement;
    let before: string | null = null;
    const begin = () => {
      before ??= root.getAttribute(scheme);
      root.setAttribute(scheme, "light");
    };
    const end = () => {
      if (before !== null) root.setAttribute(scheme, before);
      before = null;
    };
    const media = window.matchMedia("print");
    const follow = ({ matches }: MediaQueryListEvent) => (matches ? begin() : end());
    media.addEventListener("change", follow);
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
    return () => {
      media.removeEventListener("change", follow);
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
    };
  }, []);
}

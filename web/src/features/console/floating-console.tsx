import { type ComponentType, lazy, Suspense } from "react";

const load = async (): Promise<{ default: ComponentType }> => {
  try {
    return { default: (await import("./console.js")).Console };
  } catch {
    return { default: () => null };
  }
};
/** Loaded after the page itself; pages work without it, also where its file is gone after an update. */
const Console = lazy(load);

/** The console for every page. */
export function FloatingConsole() {
  return (
    <Suspense>
      <Console />
    </Suspense>
  );
}

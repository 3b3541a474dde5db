import "./api/csp-safe-zod.js";
import "./ui/theme/styles.js";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router/dom";
import { followOtherTabs, onApiAuth } from "./api/api-auth.js";
import { apiOrigin } from "./api/client.js";
import { queryClient } from "./api/query-client.js";
import { startLanguage, useLanguage } from "./texts/language.js";
import { router } from "./routes/router.js";
import { colorSchemeManager, cssVariablesResolver, theme } from "./ui/theme/theme.js";

followOtherTabs();
onApiAuth(() => void queryClient.invalidateQueries());

/** The longest that the first rendering waits for its data. */
const firstWaitMs = 100;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when the code of the first screen is loaded, or at once where that would take a while. */
const screenIsThere = () =>
  new Promise<void>((resolve) => {
    // the code of another screen is requested only now: that takes longer than rendering the frame, which can already respond to keys
    if (router.state.initialized || globalThis.earlyScreen !== true) resolve();
    const stop = router.subscribe(({ initialized }) => {
      if (!initialized) return;
      stop();
      resolve();
    });
  });

/** Renders everything on screen, and renders it again when the language changes. */
const Screens = () => <RouterProvider key={useLanguage()} router={router} />;

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element with the id root");
// The first screen's data is requested as soon as the address of the API is known, and its code is mostly there already (public/early.js).
// Rendering keeps this thread busy for longer than that takes, so that it comes afterwards, and only once; a slow server does not delay the
// frame of the page.
const soon = Promise.race([Promise.all([apiOrigin(), screenIsThere()]), wait(firstWaitMs)]);
void Promise.all([startLanguage(), soon]).then(() =>
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        colorSchemeManager={colorSchemeManager}
        defaultColorScheme="auto"
      >
        <QueryClientProvider client={queryClient}>
          <Screens />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  ),
);

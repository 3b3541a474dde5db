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

/** How long the first drawing waits for what it would show. */
const firstWaitMs = 100;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when the code of the first screen is there, or a while off. */
const screenIsThere = () =>
  new Promise<void>((resolve) => {
    // the file of another screen is asked for just now: that takes longer than drawing the frame, which answers to keys
    if (router.state.initialized || globalThis.earlyScreen !== true) resolve();
    const stop = router.subscribe(({ initialized }) => {
      if (!initialized) return;
      stop();
      resolve();
    });
  });

/** Everything on screen; another language draws it anew. */
const Screens = () => <RouterProvider key={useLanguage()} router={router} />;

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element with the id root");
// What the first screen reads is asked for as soon as the address of the API is known, and its code is mostly there already
// (public/early.js). Drawing keeps this thread busy for longer than that takes, so it comes after, and once; a server that is slow
// to answer keeps nobody from the frame of the page.
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

import "./api/csp-safe-zod.js";
import "./ui/theme/styles.js";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router/dom";
import { ApiError } from "./api/api-error.js";
import { followOtherTabs, onApiAuth } from "./api/api-auth.js";
import { apiOrigin } from "./api/client.js";
import { router } from "./routes/router.js";
import { colorSchemeManager, cssVariablesResolver, theme } from "./ui/theme/theme.js";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      refetchOnWindowFocus: true,
      // What a caller got wrong stays wrong; a server that did not answer may answer again.
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiError && (error.status === 0 || error.status === 503),
      retryDelay: (attempt) => 400 * 2 ** attempt,
    },
  },
});

followOtherTabs();
onApiAuth(() => void queries.invalidateQueries());

// The document preloads what this reads; on pages that ask the server for nothing it would be reported as unused.
void apiOrigin();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element with the id root");
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);

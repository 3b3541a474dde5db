import type { BrowserContextOptions, CDPSession } from "playwright-core";
import { readViewport, type SiteVisit, usualWindow } from "@web-tester/contracts/visitor";

/** The visitor that a browser shows pages to. */
export interface Visitor {
  viewport: { width: number; height: number };
  deviceScaleFactor: number;
  isMobile: boolean;
  locale: string;
  timezoneId: string;
  /** Null stands for the browser's own name, with the product's at its end. */
  userAgent: string | null;
}

/** The visitor for every object that chose no other. */
export const usualVisitor: Visitor = {
  viewport: { width: usualWindow.width, height: usualWindow.height },
  deviceScaleFactor: usualWindow.scale,
  isMobile: usualWindow.isMobile,
  locale: "en-US",
  timezoneId: "UTC",
  userAgent: null,
};

export function visitorOf(visit: Pick<SiteVisit, "userAgent" | "language" | "timeZone" | "viewport">): Visitor {
  const chosen = readViewport(visit.viewport);
  const { viewport, deviceScaleFactor, locale, timezoneId } = usualVisitor;
  return {
    viewport: chosen === null ? viewport : { width: chosen.width, height: chosen.height },
    deviceScaleFactor: chosen?.scale ?? deviceScaleFactor,
    isMobile: chosen?.isMobile ?? false,
    locale: visit.language.trim() || locale,
    timezoneId: visit.timeZone.trim() || timezoneId,
    userAgent: visit.userAgent.trim() || null,
  };
}

/** Returns the part of a browser request that an object's settings decide. */
export function visitInBrowser(visit: SiteVisit): {
  visitor: Visitor;
  blocked: readonly string[];
  dismiss: readonly string[];
} {
  return { visitor: visitorOf(visit), blocked: visit.blockList, dismiss: visit.dismissSelectors };
}

/** A key that is equal for equal visitors, whose tabs are interchangeable. */
export const visitorKey = (visitor: Visitor): string => JSON.stringify(visitor);

/** Returns the options of a tab's browser context. @param ownUserAgent that of the browser */
export function contextOf({ isMobile, userAgent, ...visitor }: Visitor, ownUserAgent: string): BrowserContextOptions {
  return {
    ...visitor,
    isMobile,
    hasTouch: isMobile,
    colorScheme: "light",
    reducedMotion: "reduce",
    acceptDownloads: false,
    serviceWorkers: "block",
    userAgent: userAgent ?? ownUserAgent,
  };
}

/**
 * Draws the page a fiftieth as large, after it was laid out for the whole window: nobody looks at it, and painting is a
 * tenth of a page's cost. Scripts notice nothing of it, in sizes, densities or what is in view, and screenshots are
 * complete.
 */
export async function drawTiny(
  cdp: CDPSession,
  { viewport, deviceScaleFactor, isMobile }: Visitor,
  scale = 0.02,
): Promise<void> {
  await cdp.send("Emulation.setDeviceMetricsOverride", {
    ...viewport,
    screenWidth: viewport.width,
    screenHeight: viewport.height,
    deviceScaleFactor,
    mobile: isMobile,
    scale,
  });
}

import type { BrowserContextOptions, CDPSession } from "playwright-core";
import { readViewport, type SiteVisit, usualWindow } from "@web-tester/contracts/visitor";

/** As whom a browser shows pages. */
export interface Visitor {
  viewport: { width: number; height: number };
  deviceScaleFactor: number;
  isMobile: boolean;
  locale: string;
  timezoneId: string;
  /** Null: the browser's own name, with the product's at its end. */
  userAgent: string | null;
}

/** Every page is drawn as by the same visitor, where its object chose no other. */
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

/** What a load in the browser is told of an object's choices. */
export function visitInBrowser(visit: SiteVisit): {
  visitor: Visitor;
  blocked: readonly string[];
  dismiss: readonly string[];
} {
  return { visitor: visitorOf(visit), blocked: visit.blockList, dismiss: visit.dismissSelectors };
}

/** Tabs of equal visitors are alike. */
export const visitorKey = (visitor: Visitor): string => JSON.stringify(visitor);

/** What a tab is opened with. @param userAgent of the browser */
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
 * Has the page drawn a fiftieth as large, after it was laid out for the whole window: nobody looks at it, and painting is a tenth of
 * what a page costs. Scripts see nothing of it, in sizes, densities or what is in view, and pictures that are taken are whole.
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

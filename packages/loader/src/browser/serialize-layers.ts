/** JavaScript for `serializeDocument`: gives what lies over a page styles of its own that show it there. */
export const layers = `
  // open popovers and modal dialogs lie over the page by no attribute, but because a script laid them there
  const isOver = (element) => element.matches(":is(:popover-open, :modal)");
  const placed = ["display", "visibility", "opacity", "position", "top", "right", "bottom", "left", "maxWidth", "maxHeight", "overflow", "transform", "translate", "scale"];
  // what has the focus in one of them; elsewhere a person who opens the page sees no ring
  const isRinged = (element) => element === element.ownerDocument.activeElement && element.matches(":focus-visible") && element.closest(":is(:popover-open, :modal)") !== null;
  const layRing = (element, twin) => {
    const { outline, outlineOffset } = getComputedStyle(element);
    Object.assign(twin.style, { outline, outlineOffset });
  };
  const behind = ["backgroundColor", "backgroundImage", "backgroundPosition", "backgroundRepeat", "backgroundSize", "backdropFilter", "filter", "opacity"];
  // a backdrop has no element: where it has one colour, a shadow on all sides looks the same
  const layBackdrop = (backdrop, now, twin) => {
    const { display, backgroundColor, backgroundImage, backdropFilter, opacity } = backdrop;
    if (display === "none" || opacity === "0") return;
    if (backgroundImage === "none" && backdropFilter === "none" && opacity === "1") {
      if (backgroundColor !== "rgba(0, 0, 0, 0)")
        twin.style.boxShadow = [now.boxShadow, "0 0 0 100vmax " + backgroundColor].filter((shadow) => shadow !== "none").join();
      return;
    }
    const layer = twin.ownerDocument.createElement("div");
    Object.assign(layer.style, { display: "block", position: "fixed", inset: "0", zIndex: "2147483647" });
    for (const name of behind) layer.style[name] = backdrop[name];
    twin.before(layer);
  };
  const layOver = (element, twin) => {
    const now = getComputedStyle(element);
    for (const name of placed) twin.style[name] = now[name];
    twin.style.zIndex = "2147483647";
    layBackdrop(getComputedStyle(element, "::backdrop"), now, twin);
  };`;

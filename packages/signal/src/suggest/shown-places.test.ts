import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { shownPlaces } from "./shown-places.js";

/** Looks back from each place anew. */
function isShownAt(html: string, at: number): boolean {
  const before = html.slice(0, at + 1);
  const last = (text: string) => html.slice(0, at + text.length).lastIndexOf(text, at);
  const isInTag = last("<") > before.slice(0, -1).lastIndexOf(">") && html[at] !== "<";
  return !isInTag && ["script", "style"].every((name) => last(`<${name}`) <= last(`</${name}`));
}

test("places in tags, scripts and styles are not shown, in whatever order they are asked for", () => {
  const parts = ["<p>", "</p>", "text", "<script>", "</script>", "<style>", "</style>", "<", ">", "a=1"];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 20 }), fc.array(fc.nat(99)), (pieces, places) => {
      const html = pieces.join("");
      const isShown = shownPlaces(html);
      const asked = places.filter((at) => at < html.length);
      expect(asked.map((at) => isShown(at))).toEqual(asked.map((at) => isShownAt(html, at)));
    }),
  );
});

/** What Chromium shows instead of a page that claims to be XHTML. */
export interface XmlView {
  /**
   * `fault`: an error message above the content before the error; `tree`: the source, with a style sheet of the browser's own.
   */
  kind: "fault" | "tree";
  /** A sentence for a person. */
  warning: string;
}

/** @param html the document as the browser has it. @returns null where it is shown as a page */
export function findXmlView({ html, contentType }: { html: string | null; contentType: string }): XmlView | null {
  if (html === null || contentType !== "application/xhtml+xml") return null;
  if (html.includes('<div id="webkit-xml-viewer-source-xml">'))
    return {
      kind: "tree",
      warning: `The server says that this page is XHTML, but its elements have not the namespace of XHTML, so browsers show its source in place of a page. ${advice}`,
    };
  const [, fault] = /<parsererror\b[^>]*><h3>[^<]*<\/h3><div[^>]*>([^<]{0,300})/.exec(html) ?? [];
  if (fault === undefined) return null;
  return {
    kind: "fault",
    warning: `The server says that this page is XHTML, but it is not well-formed (${fault.trim().replaceAll(/\s+/g, " ")}), so browsers show that error and what comes before it. ${advice}`,
  };
}

const advice = "Correct the page, or send it as text/html.";

/** Escapes text for elements and quoted attributes of XML 1.0 and HTML; characters that XML does not allow are removed. */
export const escapeXml = (text: string): string =>
  text
    .replaceAll(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, "")
    .toWellFormed()
    .replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

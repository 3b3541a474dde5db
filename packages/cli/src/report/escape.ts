/** For text and quoted attributes of XML 1.0 and HTML; what XML may not hold at all is left out. */
export const escapeXml = (text: string): string =>
  text
    .replaceAll(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, "")
    .toWellFormed()
    .replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

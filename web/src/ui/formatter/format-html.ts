import beautify, { type HTMLBeautifyOptions } from "js-beautify";

/** The types do not know yet that a language can be left alone. */
const options: HTMLBeautifyOptions & Record<"js" | "css", { disabled: boolean }> = {
  indent_size: 2,
  wrap_line_length: 0,
  max_preserve_newlines: 1,
  end_with_newline: false,
  js: { disabled: true },
  css: { disabled: true },
};

/**
 * HTML with one element per line and two spaces per level; scripts and styles stay as they are.
 * Long or broken input may take long: call it in a worker.
 */
export function formatHtml(html: string): string {
  return beautify.html(html, options);
}

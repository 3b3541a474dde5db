import beautify, { type HTMLBeautifyOptions } from "js-beautify";

/** The library's types lack the option that leaves a language unformatted. */
const options: HTMLBeautifyOptions & Record<"js" | "css", { disabled: boolean }> = {
  indent_size: 2,
  wrap_line_length: 0,
  max_preserve_newlines: 1,
  end_with_newline: false,
  js: { disabled: true },
  css: { disabled: true },
};

/**
 * Formats HTML with one element per line and two spaces per level; scripts and styles stay as they are. Long or broken input may take
 * long, so call it in a worker.
 */
export function formatHtml(html: string): string {
  return beautify.html(html, options);
}

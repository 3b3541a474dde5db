export { FormatterPage as Component } from "../features/formatter/formatter-page.js";

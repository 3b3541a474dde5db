/** Of the product and of its command line, which belong together; the same as in their `package.json`. */
export const productVersion = "0.1.0";

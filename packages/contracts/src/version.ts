/** The version of the product and of its command line, which must match; the same as in their `package.json`. */
export const productVersion = "0.1.0";

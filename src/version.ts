/** The product's version; a test keeps it equal to the one in `package.json`. */
export const version = "0.1.0";

/** How the product names itself to sites; its first token is the one that robots.txt rules are matched against. */
export const userAgent = "web-tester/0.1 (website monitoring and testing)";

/**
 * Controls that turn the direction of the text after them, up to the end of the line: with one of them, a page can be named so that
 * "exe.gpj" is read as "jpg.exe".
 */
export const turning = /[\u202a-\u202e\u2066-\u2069]/g;

// A file that a test names as a folder of custom tasks: it has none.
export const helper = 1;

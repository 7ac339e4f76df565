/** The build collects the styles into one file. An import of CSS has no value. */
declare module '*.css';

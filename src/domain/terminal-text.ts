// Characters that change a terminal instead of being shown: controls of C0 and C1, DEL, and those that turn the direction of text.
// Texts of other users may contain them.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they must not reach the terminal
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with a dot for each such character. */
export const withoutControls = (text: string): string => text.replace(CONTROLS, '·');

/** The same for the output of a program, whose line breaks and tabs are its own. */
export const withoutControlsInLines = (text: string): string =>
  text.replace(CONTROLS, (character) => (character === '\n' || character === '\t' ? character : '·'));

/** The same JSON with such characters as `\u…`. JSON itself escapes those of C0 only, and none are outside of its strings but line breaks. */
export const withEscapedControls = (json: string): string =>
  json.replace(CONTROLS, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

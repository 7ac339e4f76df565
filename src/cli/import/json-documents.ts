// Parses a file with one JSON value, or with several after each other, as a loop of `aws … >> file` writes it.

export function jsonDocuments(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch (error) {
    const parts = split(text);
    if (parts.length < 2) throw error;
    return parts.map((part) => JSON.parse(part) as unknown);
  }
}

/** The top-level objects and lists of the text. Brackets in strings do not count. */
function split(text: string): string[] {
  const parts: string[] = [];
  let [depth, start, isText] = [0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (isText) {
      if (character === '\\') i++;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      depth--;
      if (depth > 0) continue;
      parts.push(text.slice(start, i + 1));
      start = i + 1;
    }
  }
  return text.slice(start).trim() === '' ? parts : [];
}

/**
 * Where a text stops being JSON, as `line 2, column 21`. The parser itself does not always say, and its message quotes the text,
 * which may contain secrets.
 */
export function placeOfJsonFault(text: string): string {
  let good = 0;
  let bad = text.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isBeginning(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  const lines = text.slice(0, good).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** True for JSON, and for what can become JSON when more follows. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    const at = /at position (\d+)/.exec(message)?.[1];
    return /Unexpected end|Unterminated string/.test(message) || Number(at) === text.length;
  }
}

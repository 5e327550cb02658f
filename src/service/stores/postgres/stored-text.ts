/** A character for private use, which nobody has a reason to send. */
const ESCAPE = '\u{f8f0}';

/** What devices say may hold NUL, which Postgres has not in a text; one of them must not stop a whole batch. */
export function storedText<Text extends string | null>(text: Text): Text {
  if (text === null || !(text.includes('\0') || text.includes(ESCAPE))) return text;
  const escaped = text.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll('\0', `${ESCAPE}0`);
  return escaped as Text;
}

/** Undoes `storedText`. */
export function textFrom<Text extends string | null>(stored: Text): Text {
  if (stored === null || !stored.includes(ESCAPE)) return stored;
  return stored.replace(/\u{f8f0}(.)/gsu, (_, next) => (next === '0' ? '\0' : next)) as Text;
}

/** Takes off one line end: readers put one behind a code. */
export function withoutLineEnd(text: string): string {
  if (text.endsWith('\r\n')) return text.slice(0, -2);
  return text.endsWith('\n') || text.endsWith('\r') ? text.slice(0, -1) : text;
}

import stringWidth from 'string-width';

/** Pads the text with spaces to a number of terminal columns: wide letters take two, combining marks none. */
export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - stringWidth(text)));
}

/** Cuts the text to a number of terminal columns, with `…` where something is missing. */
export function fitted(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) >= columns) break;
    kept += segment;
  }
  return columns > 0 ? `${kept}…` : '';
}

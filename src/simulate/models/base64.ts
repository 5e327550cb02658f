/** Base64 of the UTF-8 bytes of `text`. */
export function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** Damages Base64 as a bad line does: characters outside the alphabet, and an end that is missing. */
export function corruptBase64(base64: string): string {
  const middle = base64.length >> 1;
  return `${base64.slice(0, middle)}*#${base64.slice(middle + 2, -3)}`;
}

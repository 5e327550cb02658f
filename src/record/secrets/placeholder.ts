/** The placeholder of a key in a recording. */
export function placeholderOf(label: string): string {
  return `‹${label}›`;
}

/** The same in the bytes of UTF-8, one character each, as in a body. */
export function placeholderBytes(label: string): string {
  return Buffer.from(placeholderOf(label)).toString('latin1');
}

const PLACEHOLDER_IN_HEAD = /‹([a-z]+-\d+)›/g;
const PLACEHOLDER_IN_BYTES = new RegExp(placeholderBytes('([a-z]+-\\d+)'), 'g');

/** A head with its placeholders as people read them. They are not Latin-1, so no head contains them already. */
export function showPlaceholders(head: string): string {
  return head.replace(PLACEHOLDER_IN_BYTES, (_whole, label: string) => placeholderOf(label));
}

/** The opposite: a head of one character for each byte again. */
export function placeholdersToBytes(head: string): string {
  return head.replace(PLACEHOLDER_IN_HEAD, (_whole, label: string) => placeholderBytes(label));
}

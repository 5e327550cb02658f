/** What devices send that nobody gave a serial, folded; and the serials in the public samples of their makers. */
const PLACEHOLDERS = new Set([
  ...['unknown', 'n/a', 'none', 'null', 'nan', 'undefined', 'default', 'serial', 'sn', 'test'],
  'to be filled by o.e.m.',
  '001',
]);

/** Without a letter or a digit but 0. */
const ZEROS = /^[^1-9\p{L}]*$/u;
const ONE_CHARACTER = /^(.)\1{3,}$/u;
const SEPARATORS = /[^\p{L}\p{N}]/gu;

/**
 * True when a serial says which device it is. Many devices send the same placeholder: what is known of one of them must not be
 * taken for something about another.
 */
export function identifiesDevice(serial: string): boolean {
  const folded = serial.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
  if (ZEROS.test(folded) || PLACEHOLDERS.has(folded)) return false;
  // Such as FF:FF:FF:FF:FF:FF.
  return !ONE_CHARACTER.test(folded) && !ONE_CHARACTER.test(folded.replaceAll(SEPARATORS, ''));
}

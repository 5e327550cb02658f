/** Parts of a name that mark a secret, at any position. */
const PARTS =
  /token|secret|passw|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|authoriz|session|signature|credentials/;
/** Words that mark a secret only as a whole word: `sig`, but not in `design`. */
const WORDS = /^(auth|oauth|pwd|pin|sid|sig|sign|hmac|otp|jwt|bearer|cookie)$/;

/**
 * True for a name that carries what gives access: `key`, `X-Auth`, `sessionId`, `set-cookie`. `Key` with a capital letter is
 * the device's own field (section 4.5), and `codeKey` is what some readers call the code that they read.
 */
export function isSecretName(name: string): boolean {
  if (name === 'Key' || name === 'codeKey') return false;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  if (words.at(-1) === 'key' || words.some((word) => WORDS.test(word))) return true;
  return name.toLowerCase() === 'pass' || PARTS.test(name.toLowerCase());
}

/** A key or token, also one that was cut or mistyped. */
const KEY =
  /(tscn_(?:api|hw|pat|site)_)[0-9A-Za-z]+|(whsec_)[0-9A-Za-z+/=]+|(AGE-SECRET-KEY-)[0-9A-Za-z-]+/gi;
const KEY_STARTS = /tscn_|whsec_|AGE-SECRET-KEY-/i;
/** What follows the identifier in the code of a ticket; and such a code as controllers send it, in Base64. */
const CODE = /(tkt_[a-z0-9]+_[a-z0-9]+\.)[\w-]+|(VFM[xy]LnRrdF[89])[\w+/=-]+/g;

/** The text with the random part of every key, token, webhook secret or age identity replaced by `…`: secrets are never printed again. */
export function withoutKeys(text: string): string {
  // Asked for each scan of a device.
  return KEY_STARTS.test(text) ? text.replace(KEY, '$1$2$3…') : text;
}

/** A code that may let somebody in: a few letters behind the identifier are another text. */
const WHOLE_CODE = /tkt_[a-z0-9]+_[a-z0-9]+\.[\w-]{16,}|VFM[xy]LnRrdF[89][\w+/=-]{16,}/i;

/** Whether a text contains the code of a ticket, also in Base64 as controllers send it. The identifier of a ticket alone is not a code. */
export function hasTicketCode(text: string): boolean {
  return WHOLE_CODE.test(text);
}

/** Hides keys and the signatures of ticket codes: for what others sent, and others read. The identifier of a ticket stays. */
export function withoutSecrets(text: string): string {
  const isCode = text.includes('tkt_') || text.includes('LnRrdF');
  return withoutKeys(isCode ? text.replace(CODE, '$1$2…') : text);
}

/** What a text calls a secret in front of its value: in connection strings, in queries, in options. A file or a variable is no secret. */
const NAMED_SECRET =
  /((?:password|passwd|passphrase|pass|pwd|pw|token|secret)\s{0,3}=\s{0,3})(?!env:|file:)(?:'(?:[^'\\]|\\.)*'?|[^\s&;"',)]+)/gi;
/** Letters without a blank or a quotation mark among them. */
const WORD = /[^\s"'`<>]+/g;
/** How an address begins, also where its colon or slashes are missing or others. */
const SCHEMES =
  /^(?:[a-z][a-z0-9+.-]*[:;]?\/\/+|(?:sqlite|json|postgres(?:ql)?|mysql|jdbc|https?)[:;]\/*)*/i;
/** The examples of this program. */
const EXAMPLE_USER = /^(?:[a-z]+:\/\/)?user(?::PASSWORD)?$/i;
/** Matches what stands in the place of a port and is none: a password whose @ was forgotten or encoded. */
const NO_PORT =
  /(\/\/[^\s"'`<>/:@?#[\]]*:)(?!\d{0,5}(?:[/?#\s"'`,<>).;:…]|$)|PORT\b|PASSWORD@)[^\s"'`<>/]+/g;

/**
 * The text with `…` for what may be a password in anything that looks like an address or a connection string, also one that was written
 * wrongly: nobody knows what was meant then.
 */
export function withoutPasswords(text: string): string {
  return text.replace(NAMED_SECRET, '$1…').replace(WORD, withoutUser).replace(NO_PORT, '$1…');
}

function withoutUser(word: string): string {
  const at = word.lastIndexOf('@');
  if (at === -1) return word;
  const before = word.slice(0, at);
  // A user without a password, or an address of mail.
  if (!/[:;]|\/\//.test(before) || EXAMPLE_USER.test(before)) return word;
  const [kept = ''] = (/^[./]/.test(before) ? /^[^:;@]*/ : SCHEMES).exec(before) ?? [];
  return `${kept}…${word.slice(at)}`;
}

/** A word, a path, a list in JSON, where a value is kept, or one assignment; none of them has a user in front of a host. */
const HARMLESS = /^(?:(?:env:|file:)?[\w./~ +-]*|[\w./~ +\-[\]{}",]*|[\w-]+=[\w./~-]*)$/;

/** A value that was to be an address and is none, for a message: as it is where nothing in it can be a password, else its beginning. */
export function refusedAddress(value: string): string {
  if (value.trim() === '') return value;
  const path = value.replace(/^[a-z]{1,12}:\/\//i, '').replace(/:\d{1,5}(?=\/|$)/, '');
  if (HARMLESS.test(path) && withoutPasswords(value) === value) return withoutKeys(value);
  const [scheme = ''] = SCHEMES.exec(value) ?? [];
  return `${scheme}…`;
}

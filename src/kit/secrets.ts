/** A key or token, also one that was cut or mistyped. */
const KEY =
  /(tscn_(?:api|hw|pat)_)[0-9A-Za-z]+|(whsec_)[0-9A-Za-z+/=]+|(AGE-SECRET-KEY-)[0-9A-Za-z-]+/gi;
const KEY_STARTS = /tscn_|whsec_|AGE-SECRET-KEY-/i;
/** What follows the identifier in the code of a ticket; and such a code as controllers send it, in Base64. */
const CODE = /(tkt_[a-z0-9]+_[a-z0-9]+\.)[\w-]+|(VFM[xy]LnRrdF[89])[\w+/=-]+/g;

/** The text with the random part of every key, token, webhook secret or age identity replaced by `…`: secrets are never printed again. */
export function withoutKeys(text: string): string {
  // Asked for each scan of a device.
  return KEY_STARTS.test(text) ? text.replace(KEY, '$1$2$3…') : text;
}

/** Hides keys and the signatures of ticket codes: for what others sent, and others read. The identifier of a ticket stays. */
export function withoutSecrets(text: string): string {
  const isCode = text.includes('tkt_') || text.includes('LnRrdF');
  return withoutKeys(isCode ? text.replace(CODE, '$1$2…') : text);
}

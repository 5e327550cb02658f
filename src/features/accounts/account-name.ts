import { checkedName } from '../../core/checked-name.ts';
import { refuse, type TicketscanError } from '../../core/errors.ts';
import { withoutInvisible } from '../../core/folded-text.ts';
import { ACCOUNT_NAME_CHARACTERS_MAX } from '../../core/limits.ts';

/**
 * The name under which an account is stored: people forget how exactly they spelt it, and copy characters that nobody sees. Accents
 * and punctuation count, because it is the key of a document that exists.
 */
export function foldedName(name: string): string {
  // To upper case first: only that makes SS of ß.
  return withoutInvisible(name).normalize('NFKC').toUpperCase().toLowerCase();
}

/** Characters that nobody sees: joiners, fillers, direction marks, the empty Braille pattern. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\u2800]/u;

/** The author in the audit log of changes without an account. */
const RESERVED = ['command line', 'befehlszeile', 'kommandozeile'];

/**
 * The name of a new account, as it was given. Existing accounts may have other names: they keep them.
 * @throws TicketscanError `usage` for a name with what nobody sees, `conflict` for a reserved one
 */
export function checkedAccountName(name: string): string {
  checkedName(name, ACCOUNT_NAME_CHARACTERS_MAX);
  const compatible = name.normalize('NFKC');
  if (name !== name.trim() || compatible !== compatible.trim()) {
    throw refuse('account_name_spaces');
  }
  if (INVISIBLE.test(name) || INVISIBLE.test(compatible)) {
    throw refuse('account_name_invisible');
  }
  const folded = foldedName(name);
  if (RESERVED.some((reserved) => folded.includes(reserved))) throw nameRefused(name);
  return name;
}

/** One answer for names that are taken or reserved: it does not say whose name it is. */
export function nameRefused(name: string): TicketscanError {
  return refuse('account_name_taken', { name });
}

import type { Card } from '../scan-attempt.ts';

const SHOWN_CHARACTERS = 12;

/**
 * A card from its code. In events, reports and on screens it goes by its label: of a ticket code the ticket identifier
 * without the signature, of anything else the first characters. Whoever has the whole code has the ticket.
 */
export function cardOf(code: string, label: string = labelOf(code)): Card {
  return { code, label };
}

export function labelOf(code: string): string {
  const [, identifier, signature, ...rest] = code.split('.');
  if (identifier?.startsWith('tkt_') && signature && rest.length === 0) return identifier;
  return code.length <= SHOWN_CHARACTERS ? code : `${code.slice(0, SHOWN_CHARACTERS)}…`;
}

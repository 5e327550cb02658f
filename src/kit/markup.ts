const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for XML and HTML, between tags and inside attributes, and takes out what XML 1.0 cannot hold. */
export function escapeMarkup(text: string): string {
  return stripControls(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Control characters but tab and line breaks, line separators, directions and non-characters. */
const DANGEROUS = /(?![\t\n\r])[\p{Cc}\ufffe\uffff\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Replaces control characters, lone surrogates and non-characters by U+FFFD: a terminal or a parser might obey them. */
export function stripControls(text: string): string {
  return text.toWellFormed().replace(DANGEROUS, '\ufffd');
}

import { escapeMarkup } from '../kit/text.ts';

/** What a parser skips: comments, instructions, the document type. */
const NOTHING_SAID = /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!DOCTYPE[^>]*>/gi;
const CDATA = /<!\[CDATA\[([\s\S]*?)\]\]>/g;
/** An end tag, or a start tag with its attributes. */
const TAG = /<(\/?)([^\s<>/"'=]+)((?:[\s/](?:[^<>"']|"[^"<]*"|'[^'<]*')*)?)>/g;
const ATTRIBUTE = /(?<=\s)([^\s"'=/]+)\s{0,64}=\s{0,64}(?:"([^"]*)"|'([^']*)')/g;
const ENTITY = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi;
const CHARACTERS: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/**
 * The XML of a template in the one spelling that all texts with the same meaning share: without comments and spaces between
 * tags, attributes sorted and in double quotes, each element with an end tag, characters escaped as values are. Places for
 * values stay as they are. Anything that is not a tag stays text, so that this never throws.
 */
export function comparableXml(xml: string): string {
  const plain = xml
    .replace(NOTHING_SAID, '')
    .replace(CDATA, (_all, text: string) => escapeMarkup(text));
  let form = '';
  let from = 0;
  for (const { 0: tag, 1: end = '', 2: name = '', 3: rest = '', index } of plain.matchAll(TAG)) {
    form += textForm(plain.slice(from, index)) + (end ? `</${name}>` : startForm(name, rest));
    from = index + tag.length;
  }
  return form + textForm(plain.slice(from));
}

function startForm(name: string, rest: string): string {
  const attributes = [...rest.matchAll(ATTRIBUTE)].map(
    ([, key, double, single]) => ` ${key}="${spelled(double ?? single ?? '')}"`,
  );
  const isEmpty = rest.trimEnd().endsWith('/');
  return `<${name}${attributes.sort().join('')}>${isEmpty ? `</${name}>` : ''}`;
}

function textForm(text: string): string {
  return spelled(text.replaceAll(/\s+/g, ' ').trim());
}

function spelled(text: string): string {
  return escapeMarkup(
    text.replaceAll(ENTITY, (all, hex, decimal, name) => {
      if (name) return CHARACTERS[name.toLowerCase()] ?? all;
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : all;
    }),
  );
}

import { readFileSync } from 'node:fs';

const SECTION_ANCHOR = /^<a id="(\d+(?:\.\d+)*)"><\/a>$/m;
const HEADING = /^#+ \S+ (.+)$/m;
const INLINE_ANCHOR = /<a id="[^"]+"><\/a>/g;

/**
 * The sections of docs/testing/specification.md in their order, as JSON: the program carries them, because a person with the program alone
 * has no docs folder. @throws Error when a section has no heading
 */
export function specificationSections(): string {
  const page = readFileSync('docs/testing/specification.md', 'utf8');
  const [, ...parts] = page.split(SECTION_ANCHOR);
  const sections: { number: string; title: string; text: string }[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    const [number = '', body = ''] = parts.slice(index, index + 2);
    const heading = HEADING.exec(body);
    if (heading?.[1] === undefined) throw new Error(`Section ${number} has no heading.`);
    const text = body.slice(heading.index + heading[0].length).replaceAll(INLINE_ANCHOR, '');
    sections.push({ number, title: heading[1], text: text.trim() });
  }
  return `${JSON.stringify(sections, null, 2)}\n`;
}

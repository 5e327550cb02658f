import sections from './sections.json' with { type: 'json' };

/** A section of the specification, in Markdown. */
export interface SpecificationSection {
  /** `4.2`. */
  readonly number: string;
  readonly title: string;
  readonly text: string;
}

/** The sections by number, in their order. `npm run docs` writes them from docs/testing/specification.md. */
export const SECTIONS: ReadonlyMap<string, SpecificationSection> = new Map(
  sections.map((section) => [section.number, section]),
);

/** The section with this number, or the one that it is a part of: `5.4` is a statement of section 5. */
export function sectionAt(number: string): SpecificationSection | undefined {
  if (!/^[\d.]+$/.test(number)) return undefined;
  const dot = number.lastIndexOf('.');
  return SECTIONS.get(number) ?? (dot < 0 ? undefined : sectionAt(number.slice(0, dot)));
}

/** `Section 4.2: POST /scan/consume`. */
export function headingOf(number: string): string {
  const title = SECTIONS.get(number)?.title;
  return title === undefined ? `Section ${number}` : `Section ${number}: ${title}`;
}

/** Where to read a section: `ticketscan check --explain 4.2`. */
export function whereToRead(number: string): string {
  return `ticketscan check --explain ${number}`;
}

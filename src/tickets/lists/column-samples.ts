/** How many samples are kept: more would not say more about a column. */
const SAMPLES_MAX = 3;

/** Some different texts of columns that are not known, by which somebody sees what they are; the empty one where a cell is empty. */
export class ColumnSamples {
  readonly #texts: readonly { readonly index: number; readonly seen: string[] }[];
  readonly #headings: readonly string[];

  /** @param unknown those of the headings that are looked at */
  constructor(headings: readonly string[], unknown: readonly string[]) {
    this.#headings = unknown;
    this.#texts = unknown.map((heading) => ({ index: headings.indexOf(heading), seen: [] }));
  }

  /** @param cells of a row, by the index of their heading */
  add(cells: readonly (string | undefined)[]): void {
    for (const { index, seen } of this.#texts) {
      const text = cells[index]?.trim() ?? '';
      if (seen.includes(text)) continue;
      if (text === '' || seen.filter((one) => one !== '').length < SAMPLES_MAX) seen.push(text);
    }
  }

  /** The texts of a column, to which later rows add. */
  of(heading: string): readonly string[] {
    return this.#texts[this.#headings.indexOf(heading)]?.seen ?? [];
  }
}

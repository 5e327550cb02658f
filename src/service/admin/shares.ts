/** A bounded number of places that organisations share: one organisation cannot take all of them. */
export class Shares {
  readonly #total: number;
  readonly #each: number;
  readonly #taken = new Map<string, number>();
  #all = 0;

  /**
   * @param total places in all
   * @param each places of one organisation
   */
  constructor(total: number, each: number) {
    this.#total = total;
    this.#each = each;
  }

  /** @returns a function that releases the place, to be called once; undefined when no place is free */
  enter(organisationId: string): (() => void) | undefined {
    const taken = this.#taken.get(organisationId) ?? 0;
    if (taken >= this.#each || this.#all >= this.#total) return undefined;
    this.#change(organisationId, 1);
    return () => this.#change(organisationId, -1);
  }

  #change(organisationId: string, by: 1 | -1): void {
    this.#all += by;
    const taken = (this.#taken.get(organisationId) ?? 0) + by;
    if (taken === 0) this.#taken.delete(organisationId);
    else this.#taken.set(organisationId, taken);
  }
}

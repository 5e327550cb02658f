import { RetryLater } from '../../core/errors.ts';

const RETRY_AFTER_S = 3;

/** How many may work at the same time. */
export interface ShareBounds {
  readonly all: number;
  /** Of one organisation. */
  readonly each: number;
  /** Of one organisation, how many more wait in line before one is refused. */
  readonly waiting: number;
}

interface Waiting {
  readonly organisationId: string;
  readonly enter: () => void;
}

/** A bounded number of places that organisations share: one organisation cannot take all of them. */
export class Shares {
  readonly #bounds: ShareBounds;
  readonly #taken = new Map<string, number>();
  #all = 0;
  #line: Waiting[] = [];

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds;
  }

  /**
   * Takes a place, when it is the organisation's turn.
   * @returns a function that releases the place; a second call does nothing
   * @throws RetryLater when too many of the organisation wait already
   */
  async enter(organisationId: string): Promise<() => void> {
    if (this.#isFree(organisationId)) this.#change(organisationId, 1);
    else await this.#turn(organisationId);
    let isIn = true;
    return () => {
      if (isIn) this.#leave(organisationId);
      isIn = false;
    };
  }

  #isFree(organisationId: string): boolean {
    const { all, each } = this.#bounds;
    return this.#all < all && (this.#taken.get(organisationId) ?? 0) < each;
  }

  #turn(organisationId: string): Promise<void> {
    const waiting = this.#line.filter((one) => one.organisationId === organisationId).length;
    if (waiting >= this.#bounds.waiting) throw new RetryLater('busy', RETRY_AFTER_S);
    return new Promise((enter) => this.#line.push({ organisationId, enter }));
  }

  #leave(organisationId: string): void {
    this.#change(organisationId, -1);
    const next = this.#line.findIndex((one) => this.#isFree(one.organisationId));
    const [admitted] = next < 0 ? [] : this.#line.splice(next, 1);
    if (!admitted) return;
    this.#change(admitted.organisationId, 1);
    admitted.enter();
  }

  #change(organisationId: string, by: 1 | -1): void {
    this.#all += by;
    const taken = (this.#taken.get(organisationId) ?? 0) + by;
    if (taken === 0) this.#taken.delete(organisationId);
    else this.#taken.set(organisationId, taken);
  }
}

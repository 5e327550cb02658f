import type { Random } from '../world/random.ts';

/** Disks write whole sectors of this size: a write may be torn between them. */
const SECTOR_BYTES = 512;

/** A change that has left the program, but need not be on the platter yet. */
interface Pending {
  readonly offset: number;
  /** Null for a change of size to `offset`. */
  readonly data: Buffer | null;
  /** A sync failed after it: no later sync brings it to the disk, yet it may be there. */
  orphaned: boolean;
}

/** What of the changes that were not synced is on the disk after a cut. */
export type Survival = 'none' | 'all' | 'prefix' | 'some' | 'sectors';
export const SURVIVALS: readonly Survival[] = ['none', 'all', 'prefix', 'some', 'sectors'];

/** One file: what is certainly on the disk, and what may be. */
export class DiskFile {
  #durable: Buffer;
  /** The size that the programs see. */
  #size: number;
  #pending: Pending[] = [];
  readonly #syncs = new Map<number, number>();

  constructor(content: Buffer = Buffer.alloc(0)) {
    this.#durable = content;
    this.#size = content.length;
  }

  get hasPending(): boolean {
    return this.#pending.length > 0;
  }

  write(offset: number | null, data: Buffer): void {
    const at = offset ?? this.#size;
    this.#pending.push({ offset: at, data, orphaned: false });
    this.#size = Math.max(this.#size, at + data.length);
  }

  truncate(size: number): void {
    this.#pending.push({ offset: size, data: null, orphaned: false });
    this.#size = size;
  }

  syncBegins(sync: number): void {
    this.#syncs.set(sync, this.#pending.length);
  }

  /** What was written before the sync began is on the disk when it succeeds; when it fails, it is anybody's guess. */
  syncEnds(sync: number, succeeded: boolean): void {
    const covered = this.#syncs.get(sync) ?? 0;
    this.#syncs.delete(sync);
    const before = this.#pending.slice(0, covered);
    if (!succeeded) {
      for (const change of before) change.orphaned = true;
      return;
    }
    const written = before.filter((change) => !change.orphaned);
    this.#durable = written.reduce(applied, this.#durable);
    this.#pending = [
      ...before.filter(({ orphaned }) => orphaned).flatMap((change) => leftOf(change, written)),
      ...this.#pending.slice(covered),
    ];
    for (const [other, count] of this.#syncs)
      this.#syncs.set(other, Math.max(0, count - written.length));
  }

  /** The file as the programs see it. */
  seen(): Buffer {
    return this.#pending.reduce(applied, Buffer.from(this.#durable));
  }

  /** The file as it may be found after a power cut at this moment. */
  afterCut(survival: Survival, random: Random): Buffer {
    const content = this.#survivors(survival, random).reduce(applied, Buffer.from(this.#durable));
    // The new size may reach the disk before the data does.
    if (survival === 'none' || content.length >= this.#size || !random.chance(0.2)) return content;
    return Buffer.concat([content, Buffer.alloc(this.#size - content.length)]);
  }

  #survivors(survival: Survival, random: Random): Pending[] {
    const pending = this.#pending;
    switch (survival) {
      case 'none':
        return [];
      case 'all':
        return pending;
      case 'prefix': {
        const count = random.between(0, pending.length);
        const torn = pending[count];
        return [...pending.slice(0, count), ...(torn ? tear(torn, 0.5, random) : [])];
      }
      case 'some': {
        const share = random.next();
        return pending.filter(() => random.chance(share));
      }
      case 'sectors': {
        const share = random.next();
        return shuffled(pending, random).flatMap((change) => tear(change, share, random));
      }
    }
  }
}

/** What may still reach the disk of an orphaned change: nothing where later changes, which are on it, wrote or cut. */
function leftOf(change: Pending, written: readonly Pending[]): readonly Pending[] {
  return written.reduce<readonly Pending[]>(
    (pieces, later) => pieces.flatMap((piece) => outside(piece, later)),
    [change],
  );
}

function outside(piece: Pending, later: Pending): readonly Pending[] {
  const { data, offset } = piece;
  if (!data) return [piece];
  const from = Math.max(0, later.offset - offset);
  const to = later.data ? Math.max(0, later.offset + later.data.length - offset) : data.length;
  return [
    { ...piece, data: data.subarray(0, from) },
    { ...piece, offset: offset + to, data: data.subarray(to) },
  ].filter((left) => left.data.length > 0);
}

function applied(content: Buffer, { offset, data }: Pending): Buffer {
  if (!data) {
    return offset <= content.length
      ? content.subarray(0, offset)
      : Buffer.concat([content, Buffer.alloc(offset - content.length)]);
  }
  const end = offset + data.length;
  const whole =
    end > content.length ? Buffer.concat([content, Buffer.alloc(end - content.length)]) : content;
  data.copy(whole, offset);
  return whole;
}

/** Each sector of a write on its own, with the given chance. */
function tear(change: Pending, share: number, random: Random): Pending[] {
  const { data, offset } = change;
  if (!data) return random.chance(share) ? [change] : [];
  const pieces: Pending[] = [];
  for (let from = 0; from < data.length; ) {
    const to = Math.min(data.length, from + SECTOR_BYTES - ((offset + from) % SECTOR_BYTES));
    if (random.chance(share)) {
      pieces.push({ offset: offset + from, data: data.subarray(from, to), orphaned: false });
    }
    from = to;
  }
  return pieces;
}

/** A disk writes in the order that suits it; the last of several writes to one place may come first. */
function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const order = [...items];
  for (let index = order.length - 1; index > 0; index -= 1) {
    const other = random.between(0, index);
    [order[index], order[other]] = [order[other] as Item, order[index] as Item];
  }
  return order;
}

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { RetryLater } from '../../core/errors.ts';

/** The hash of a password, and how it was made, so that later hashes can be made slower. */
export interface PasswordRecord {
  readonly algorithm: 'scrypt';
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
  /** Base64. */
  readonly salt: string;
  /** Base64. */
  readonly hash: string;
}

export type PasswordCost = Pick<PasswordRecord, 'cost' | 'blockSize' | 'parallelization'>;

/** 32 MiB and about a tenth of a second (OWASP's third choice for scrypt). */
const DEFAULT_COST: PasswordCost = { cost: 2 ** 15, blockSize: 8, parallelization: 3 };
/** More than any cost here needs: the default of Node would be too little. */
const MEMORY_BYTES_MAX = 256 * 1024 * 1024;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** How many hashes are computed at once. Each takes memory and a thread of the pool, which the rest of the program needs too. */
const AT_ONCE_MAX = 2;
/** How many wait in each queue. The last one waits for a few seconds; longer is not acceptable. */
export const WAITING_MAX = 20;
const RETRY_AFTER_S = 3;

/** The two queues: people who have signed in before come first, and strangers cannot fill their queue. */
export type PasswordQueue = 'known' | 'strangers';

/** Makes and verifies slow hashes of passwords, a few at a time. */
export class Passwords {
  readonly #cost: PasswordCost;
  readonly #derive: typeof derive;
  readonly #waiting = { known: [] as (() => void)[], strangers: [] as (() => void)[] };
  readonly #nobody: PasswordRecord;
  #working = 0;

  /** `slowHash` computes one hash. A test that looks at the order in which hashes begin gives its own. */
  constructor(cost: PasswordCost = DEFAULT_COST, slowHash: typeof derive = derive) {
    this.#cost = cost;
    this.#derive = slowHash;
    const salt = randomBytes(SALT_BYTES).toString('base64');
    const hash = randomBytes(HASH_BYTES).toString('base64');
    this.#nobody = { algorithm: 'scrypt', ...cost, salt, hash };
  }

  /** @throws RetryLater when no more may wait in the queue; nothing that was asked for before changes that */
  refuseWhenFull(queue: PasswordQueue): void {
    if (this.#waiting[queue].length >= WAITING_MAX) throw new RetryLater('busy', RETRY_AFTER_S);
  }

  /** Hashes a password for people who are signed in, and for the command line. @throws RetryLater */
  async hash(password: string): Promise<PasswordRecord> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await this.#inTurn(password, salt, this.#cost, 'known');
    return {
      algorithm: 'scrypt',
      ...this.#cost,
      salt: salt.toString('base64'),
      hash: hash.toString('base64'),
    };
  }

  /** Takes equally long without a record, so that nobody learns which accounts exist. @throws RetryLater */
  async verify(
    password: string,
    record: PasswordRecord | undefined,
    queue: PasswordQueue,
  ): Promise<boolean> {
    const kept = record ?? this.#nobody;
    const expected = Buffer.from(kept.hash, 'base64');
    const given = await this.#inTurn(password, Buffer.from(kept.salt, 'base64'), kept, queue);
    return timingSafeEqual(given, expected) && record !== undefined;
  }

  async #inTurn(
    password: string,
    salt: Buffer,
    cost: PasswordCost,
    queue: PasswordQueue,
  ): Promise<Buffer> {
    await this.#turn(queue);
    try {
      return await this.#derive(password, salt, {
        N: cost.cost,
        r: cost.blockSize,
        p: cost.parallelization,
        maxmem: MEMORY_BYTES_MAX,
      });
    } finally {
      const next = this.#waiting.known.shift() ?? this.#waiting.strangers.shift();
      // The place is handed on: nobody who comes now can take it as well.
      if (next) next();
      else this.#working -= 1;
    }
  }

  async #turn(queue: PasswordQueue): Promise<void> {
    if (this.#working < AT_ONCE_MAX) {
      this.#working += 1;
      return;
    }
    this.refuseWhenFull(queue);
    await new Promise<void>((resolve) => this.#waiting[queue].push(resolve));
  }
}

/** Hashes a password. It is normalised first, because keyboards compose the same letters in different ways. */
export function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) => {
      if (error) reject(error);
      else resolve(hash);
    });
  });
}

import type { KeyName, Target } from '../target/target.ts';
import { type ChangeOrder, type KeyAccess, KeyAccessError, type KeyChange } from './access.ts';

/** The keys that a check may change: named for it in the target, or made for it. */
export type SpareName = 'spare' | 'hardwareSpare';

/** A name for each: a hook may have to find a key by its name. */
const CHECK_NAMES = { spare: 'ticketscan check', hardwareSpare: 'ticketscan check, gate' } as const;

/** What a spare key is at the moment, as far as the check has changed it. */
interface SpareKey {
  readonly value: string;
  readonly isMade: boolean;
  readonly name: string | undefined;
  isActive: boolean;
  isScoped: boolean;
  isRenamed: boolean;
  isDeleted: boolean;
}

/** Something to be done so that a key is as it was, in words and in deed. */
interface StepBack {
  readonly toDo: string;
  run(): Promise<void>;
}

/** Changes spare keys one after the other, and puts them back. */
export class SpareKeys {
  readonly #access: KeyAccess;
  readonly #target: Target;
  readonly #use: (name: KeyName, value: string) => void;
  readonly #keys = new Map<SpareName, SpareKey>();

  /** @param use called with each key that is made, before any request with it */
  constructor(access: KeyAccess, target: Target, use: (name: KeyName, value: string) => void) {
    this.#access = access;
    this.#target = target;
    this.#use = use;
  }

  /** A key that is active, for all events and has its own name. @throws KeyAccessError when there is none */
  async ready(name: SpareName): Promise<void> {
    const key = this.#keys.get(name);
    if (key && !key.isDeleted) return this.#putBack(name, key);
    if (!this.#access.create) {
      if (key) throw new KeyAccessError(`the key "${name}" was deleted before`);
      this.#keys.set(name, this.#named(name));
      return;
    }
    // an organisation may have room for one more key only
    for (const other of this.#keys.keys()) await this.#remove(other);
    const value = await this.#access.create(typeOf(name), CHECK_NAMES[name]);
    this.#use(name, value);
    this.#keys.set(name, { ...FRESH, value, isMade: true, name: CHECK_NAMES[name] });
  }

  /** True where a deleted key can be followed by a new one. */
  get makesKeys(): boolean {
    return this.#access.create !== undefined;
  }

  isDeleted(name: SpareName): boolean {
    return this.#keys.get(name)?.isDeleted === true;
  }

  disable(name: SpareName): Promise<void> {
    return this.#change(name, 'disable-key', (key) => {
      key.isActive = false;
    });
  }

  enable(name: SpareName): Promise<void> {
    return this.#change(name, 'enable-key', undefined, (key) => {
      key.isActive = true;
    });
  }

  /** @throws KeyAccessError when it is not known how to name the key afterwards */
  rename(name: SpareName): Promise<void> {
    if (this.#keyOf(name).name === undefined)
      throw new KeyAccessError(
        `the target does not have the name of the key "${name}", to restore it: changes.${name === 'spare' ? 'name' : 'hardwareName'}`,
        { optional: true },
      );
    return this.#change(
      name,
      'rename-key',
      (key) => {
        key.isRenamed = true;
      },
      undefined,
      { name: `${CHECK_NAMES[name]}, renamed` },
    );
  }

  /** Leaves the key the events of the ticket only. @throws KeyAccessError when those are not known */
  async narrow(name: SpareName, code: string): Promise<void> {
    const given = this.#target.changes?.events;
    const events = given ?? (this.#access.eventOf ? [await this.#access.eventOf(code)] : undefined);
    if (events === undefined)
      throw new KeyAccessError(
        'the target does not have the events of its tickets: changes.events',
        {
          optional: true,
        },
      );
    const scope = (key: SpareKey) => {
      key.isScoped = true;
    };
    await this.#change(name, 'scope-key', scope, undefined, { events });
  }

  widen(name: SpareName): Promise<void> {
    const done = (key: SpareKey) => {
      key.isScoped = false;
    };
    return this.#change(name, 'scope-key', undefined, done, { events: 'all' });
  }

  delete(name: SpareName): Promise<void> {
    return this.#change(name, 'delete-key', undefined, (key) => {
      key.isDeleted = true;
    });
  }

  /** Puts every key back as it was, and deletes those that were made. @returns what is left to be done by hand, and why */
  async restore(): Promise<string[]> {
    const problems: string[] = [];
    for (const [name, key] of this.#keys) {
      // each for itself: what one step cannot do, the next one may
      const steps = key.isMade ? [this.#deletion(name, key)] : this.#edits(name, key);
      for (const { toDo, run } of key.isDeleted ? [] : steps) {
        await run().catch((error: unknown) => {
          const message = error instanceof Error ? error.message : String(error);
          problems.push(
            `The key "${name}" was not restored (${message}). ${toDo} in the dashboard.`,
          );
        });
      }
    }
    return problems;
  }

  async #putBack(name: SpareName, key: SpareKey): Promise<void> {
    for (const { run } of this.#edits(name, key)) await run();
  }

  #deletion(name: SpareName, key: SpareKey): StepBack {
    return { toDo: `Delete "${key.name}"`, run: () => this.#remove(name) };
  }

  #edits(name: SpareName, key: SpareKey): StepBack[] {
    const renamed = (one: SpareKey) => {
      one.isRenamed = false;
    };
    const named = { name: key.name ?? '' };
    return [
      ...(key.isActive ? [] : [{ toDo: 'Enable it', run: () => this.enable(name) }]),
      ...(key.isScoped ? [{ toDo: 'Give it all events', run: () => this.widen(name) }] : []),
      ...(key.isRenamed
        ? [
            {
              toDo: `Call it "${named.name}"`,
              run: () => this.#change(name, 'rename-key', undefined, renamed, named),
            },
          ]
        : []),
    ];
  }

  async #remove(name: SpareName): Promise<void> {
    const key = this.#keys.get(name);
    if (key?.isMade && !key.isDeleted) await this.delete(name);
  }

  /** What a change may have done is noted before it, what it has surely done after it. */
  async #change(
    name: SpareName,
    change: KeyChange,
    before: ((key: SpareKey) => void) | undefined,
    after?: (key: SpareKey) => void,
    details: Pick<ChangeOrder, 'name' | 'events'> = {},
  ): Promise<void> {
    const hook = this.#access.hooks[change];
    if (!hook) throw new KeyAccessError(`no hook "${change}" was given`, { optional: true });
    const key = this.#keyOf(name);
    before?.(key);
    await hook({ key: key.value, type: typeOf(name), ...details }).catch((error: unknown) => {
      if (error instanceof KeyAccessError) throw error;
      throw new KeyAccessError(error instanceof Error ? error.message : String(error));
    });
    after?.(key);
  }

  #keyOf(name: SpareName): SpareKey {
    const key = this.#keys.get(name);
    if (!key) throw new Error(`the key "${name}" was not prepared`);
    return key;
  }

  #named(name: SpareName): SpareKey {
    const value = this.#target.keys[name];
    if (value === undefined)
      throw new KeyAccessError(`the target has no key "${name}"`, { optional: true });
    const { changes } = this.#target;
    return {
      ...FRESH,
      value,
      isMade: false,
      name: name === 'spare' ? changes?.name : changes?.hardwareName,
    };
  }
}

const FRESH = { isActive: true, isScoped: false, isRenamed: false, isDeleted: false };

function typeOf(name: SpareName): ChangeOrder['type'] {
  return name === 'spare' ? 'api' : 'hardware';
}

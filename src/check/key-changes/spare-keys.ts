import type { KeyName, Target } from '../deployment/target.ts';

/** What can be done to a key in a dashboard (section 3.1), by the names of the hooks. */
export const KEY_CHANGES = [
  'disable-key',
  'enable-key',
  'delete-key',
  'rename-key',
  'scope-key',
] as const;
/** A change of a key that the checker has made by a hook. */
export type KeyChange = (typeof KEY_CHANGES)[number];

/** Which key to change, and to what. */
export interface ChangeOrder {
  /** The value of the key. */
  readonly key: string;
  readonly type: 'api' | 'hardware';
  /** The new name, for `rename-key`. */
  readonly name?: string;
  /** The new scope, for `scope-key`: names or ids of events, as the target has them. */
  readonly events?: 'all' | readonly string[];
}

/** Does one change to the deployment; resolves when the deployment has confirmed it. */
export type KeyHook = (order: ChangeOrder) => Promise<void>;
/** What makes each change; a missing one leaves its cases out. */
export type KeyHooks = Readonly<Partial<Record<KeyChange, KeyHook>>>;

/** The way to the dashboard of a deployment. */
export interface KeyAccess {
  readonly hooks: KeyHooks;
  /**
   * Makes a key for all events, and returns its value; where this method is missing, only keys that the target names are changed.
   * @throws KeyAccessError saying what is missing
   */
  create?(type: ChangeOrder['type'], name: string): Promise<string>;
  /** The event of a ticket. @throws KeyAccessError when it is not known */
  eventOf?(code: string): Promise<string>;
}

/** A key cannot be changed as a case needs it; the message says why. */
export class KeyAccessError extends Error {
  override readonly name = 'KeyAccessError';
  /** True when only something was missing that a check can do without. */
  readonly optional: boolean;

  constructor(message: string, { optional = false }: { optional?: boolean } = {}) {
    super(message);
    this.optional = optional;
  }
}

/** The keys that a check may change: named for it in the target, or made for it. */
export type SpareName = 'spare' | 'hardwareSpare';

/** A name for each: a hook may have to find a key by its name. */
const CHECK_NAMES = { spare: 'ticketscan check', hardwareSpare: 'ticketscan check, gate' } as const;

/** Changes that are undone. */
type Edit = 'disable-key' | 'scope-key' | 'rename-key';

/** A spare key, and what the check has changed of it up to now. */
interface SpareKey {
  readonly value: string;
  readonly isMade: boolean;
  readonly name: string | undefined;
  readonly edits: Set<Edit>;
  isDeleted: boolean;
}

/** What undoes an edit, in words and in deed. */
const UNDOING: Readonly<
  Record<
    Edit,
    { change: KeyChange; toDo: (name?: string) => string; details: (name?: string) => Details }
  >
> = {
  'disable-key': { change: 'enable-key', toDo: () => 'Enable it', details: () => ({}) },
  'scope-key': {
    change: 'scope-key',
    toDo: () => 'Give it all events',
    details: () => ({ events: 'all' }),
  },
  'rename-key': {
    change: 'rename-key',
    toDo: (name) => `Call it "${name}"`,
    details: (name = '') => ({ name }),
  },
};
type Details = Pick<ChangeOrder, 'name' | 'events'>;

/** What a change makes of a key (section 3.1): one that is deleted is refused. */
type LimitedTo = 'disabled' | 'scoped' | 'refused';

/** Who has to know of spare keys. */
interface ToldOfKeys {
  /** Called with each key that is made, before any request with it. */
  readonly made: (name: KeyName, value: string) => void;
  /** Called with what a key is from now on; undefined where that is not known. */
  readonly changed: (value: string, state: LimitedTo | undefined) => void;
}

/** Changes spare keys one after the other, and puts them back. */
export class SpareKeys {
  readonly #access: KeyAccess;
  readonly #target: Target;
  readonly #told: ToldOfKeys;
  readonly #keys = new Map<SpareName, SpareKey>();

  constructor(access: KeyAccess, target: Target, told: ToldOfKeys) {
    this.#access = access;
    this.#target = target;
    this.#told = told;
  }

  /** A key that is active, for all events and has its own name. @throws KeyAccessError when there is none */
  async ready(name: SpareName): Promise<void> {
    const key = this.#keys.get(name);
    if (key && !key.isDeleted) {
      for (const edit of key.edits) await this.#undo(name, edit);
      return;
    }
    if (!this.#access.create) {
      if (key) throw new KeyAccessError(`the key "${name}" was deleted before`);
      this.#keys.set(name, this.#named(name));
      return;
    }
    // an organisation may have room for one more key only
    for (const [other, { isMade, isDeleted }] of this.#keys)
      if (isMade && !isDeleted) await this.delete(other);
    const value = await this.#access.create(typeOf(name), CHECK_NAMES[name]);
    this.#told.made(name, value);
    this.#keys.set(name, freshKey(value, CHECK_NAMES[name], true));
  }

  /** True where a deleted key can be followed by a new one. */
  get makesKeys(): boolean {
    return this.#access.create !== undefined;
  }

  isDeleted(name: SpareName): boolean {
    return this.#keys.get(name)?.isDeleted === true;
  }

  disable(name: SpareName): Promise<void> {
    return this.#edit(name, 'disable-key', {});
  }

  enable(name: SpareName): Promise<void> {
    return this.#undo(name, 'disable-key');
  }

  /** @throws KeyAccessError when it is not known how to name the key afterwards */
  async rename(name: SpareName): Promise<void> {
    if (this.#keyOf(name).name === undefined)
      throw new KeyAccessError(
        `the target does not have the name of the key "${name}", to restore it: changes.${name === 'spare' ? 'name' : 'hardwareName'}`,
        { optional: true },
      );
    await this.#edit(name, 'rename-key', { name: `${CHECK_NAMES[name]}, renamed` });
  }

  /** Leaves the key the events of the ticket only. @throws KeyAccessError when those are not known */
  async narrow(name: SpareName, code: string): Promise<void> {
    const given = this.#target.changes?.events;
    const events = given ?? (this.#access.eventOf ? [await this.#access.eventOf(code)] : undefined);
    if (events === undefined)
      throw new KeyAccessError(
        'the target does not have the events of its tickets: changes.events',
        { optional: true },
      );
    await this.#edit(name, 'scope-key', { events });
  }

  widen(name: SpareName): Promise<void> {
    return this.#undo(name, 'scope-key');
  }

  async delete(name: SpareName): Promise<void> {
    const hook = this.#hookFor('delete-key');
    const key = this.#keyOf(name);
    await this.#changing(key, hook(name, {}));
    key.isDeleted = true;
    this.#told.changed(key.value, stateOf(key));
  }

  /** Puts every key back as it was, and deletes those that were made. @returns what is left to be done by hand, and why */
  async restore(): Promise<string[]> {
    const problems: string[] = [];
    const attempt = (name: SpareName, toDo: string, step: Promise<void>) =>
      step.catch((error: unknown) => {
        const why = messageOf(error);
        problems.push(`The key "${name}" was not restored (${why}). ${toDo} in the dashboard.`);
      });
    for (const [name, key] of this.#keys) {
      if (key.isDeleted) continue;
      if (key.isMade) await attempt(name, `Delete "${key.name}"`, this.delete(name));
      // each for itself: what one step cannot do, the next one may
      else
        for (const edit of key.edits)
          await attempt(name, UNDOING[edit].toDo(key.name), this.#undo(name, edit));
    }
    return problems;
  }

  /** Noted before it is done: it may be done without an answer. */
  async #edit(name: SpareName, edit: Edit, details: Details): Promise<void> {
    const hook = this.#hookFor(edit);
    const key = this.#keyOf(name);
    key.edits.add(edit);
    await this.#changing(key, hook(name, details));
    this.#told.changed(key.value, stateOf(key));
  }

  async #undo(name: SpareName, edit: Edit): Promise<void> {
    const { change, details } = UNDOING[edit];
    const key = this.#keyOf(name);
    await this.#changing(key, this.#hookFor(change)(name, details(key.name)));
    key.edits.delete(edit);
    this.#told.changed(key.value, stateOf(key));
  }

  /** What a key is while it is changed is not known, nor where the change fails. */
  #changing(key: SpareKey, change: Promise<void>): Promise<void> {
    this.#told.changed(key.value, undefined);
    return change;
  }

  #hookFor(change: KeyChange): (name: SpareName, details: Details) => Promise<void> {
    const hook = this.#access.hooks[change];
    if (!hook) throw new KeyAccessError(`no hook "${change}" was given`, { optional: true });
    return (name, details) =>
      hook({ key: this.#keyOf(name).value, type: typeOf(name), ...details }).catch((error) => {
        throw error instanceof KeyAccessError ? error : new KeyAccessError(messageOf(error));
      });
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
    return freshKey(value, name === 'spare' ? changes?.name : changes?.hardwareName, false);
  }
}

/** @returns what section 3.1 makes of the key; undefined where it may be good: whether it was before is not known */
function stateOf({ isDeleted, edits }: SpareKey): LimitedTo | undefined {
  if (isDeleted) return 'refused';
  if (edits.has('disable-key')) return 'disabled';
  return edits.has('scope-key') ? 'scoped' : undefined;
}

function freshKey(value: string, name: string | undefined, isMade: boolean): SpareKey {
  return { value, name, isMade, edits: new Set(), isDeleted: false };
}

function typeOf(name: SpareName): ChangeOrder['type'] {
  return name === 'spare' ? 'api' : 'hardware';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

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

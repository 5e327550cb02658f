/** What the administration keeps besides organisations, events and keys; a store knows only that it is JSON. */
export const DOCUMENT_KINDS = ['account', 'session', 'access-token'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

export interface AdministrativeDocument {
  readonly kind: DocumentKind;
  readonly id: string;
  /** 1 when it is new; each change adds 1. */
  readonly revision: number;
  /** Whatever JSON can say. */
  readonly value: unknown;
}

/** One administrative act, as the trail tells it: who did what to what, and when. */
export interface NewTrailEntry {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Null for an act on the store as a whole. */
  readonly organisationId: string | null;
  /** Null for acts that no account did. */
  readonly accountId: string | null;
  /** The name of the account, or `command line`. */
  readonly by: string;
  /** What was done, such as `key.create`. */
  readonly act: string;
  /** The id of what it was done to. */
  readonly subject: string;
  /** What changed; never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface TrailEntry extends NewTrailEntry {
  /** Orders the trail. */
  readonly sequence: number;
}

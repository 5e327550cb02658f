/** What the admin API answers; times are ISO 8601 in UTC. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null on the last. */
  readonly next: string | number | null;
}

export type Role = 'owner' | 'operator' | 'viewer';

export interface Session {
  readonly account: { readonly id: string; readonly name: string; readonly role: Role };
  readonly organisation: { readonly id: string; readonly name: string };
  readonly expiresAt: string;
}

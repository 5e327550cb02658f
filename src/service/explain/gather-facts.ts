import { isAccountId } from '../../core/administrative-records.ts';
import { monthOf } from '../../core/clock.ts';
import type { Keyring } from '../../core/keyring.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { ApiKeyRecord } from '../../core/records.ts';
import type { RecordLists } from '../stores/record-store.ts';
import { keyOfScanner } from '../stores/scanner-key.ts';
import type { Store } from '../stores/store.ts';
import type { ScanFacts } from './scan-facts.ts';
import { type SignatureFacts, signatureFacts } from './signature-facts.ts';

export type FactStore = Pick<Store, 'list' | 'findTicket' | 'requestsInMonth'>;

export interface Question {
  readonly keyId: string;
  /** Undefined when the request held none. */
  readonly ticketCode: string | undefined;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

/** The key that asked, or the account; undefined for a key that was deleted. */
export async function askerOf(store: RecordLists, id: string): Promise<ApiKeyRecord | undefined> {
  if (!isAccountId(id)) return (await store.list('key')).find((key) => key.id === id);
  const account = (await store.list('scanner')).find((one) => one.id === id);
  return account && keyOfScanner(account).key;
}

/** Reads what a decision about this request would stand on; writes nothing. */
export async function gatherFacts(
  store: FactStore,
  keyring: Keyring,
  { keyId, ticketCode, now }: Question,
): Promise<ScanFacts> {
  const signature = signatureFacts(ticketCode, keyring);
  const key = await askerOf(store, keyId);
  const organisations = await store.list('organisation');
  const owner = organisations.find(({ id }) => id === key?.organisationId);
  return {
    key,
    limits: owner?.limits ?? DEFAULT_LIMITS,
    requestsInMonth: await store.requestsInMonth(keyId, monthOf(now)),
    signature,
    ...(await ticketFacts(store, signature)),
  };
}

async function ticketFacts(
  store: FactStore,
  signature: SignatureFacts,
): Promise<Pick<ScanFacts, 'event' | 'ticket'>> {
  if (signature.kind !== 'genuine') return { event: undefined, ticket: undefined };
  const event = (await store.list('event')).find(({ id }) => id === signature.eventId);
  return { event, ticket: event && (await store.findTicket(signature.ticketId)) };
}

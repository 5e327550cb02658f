import { TicketscanError } from '../../core/errors.ts';
import type { RecordStore } from '../stores/record-store.ts';
import { type Notice, type NoticesRecord, webhookDocument } from './webhook-records.ts';

/** Of one organisation: about 300 bytes each, in one document. */
const NOTICES_KEPT = 500;

/** What one look at an organisation found. */
export interface Findings {
  readonly notices: readonly Pick<Notice, 'type' | 'data'>[];
  readonly state: Pick<NoticesRecord, 'offline' | 'quota' | 'denials'>;
}

interface Stored {
  readonly revision: number;
  readonly value: NoticesRecord;
}

/** The notices of all organisations, as they are stored. */
export class Notices {
  readonly #store: Pick<RecordStore, 'listDocuments' | 'putDocument'>;
  #stored = new Map<string, Stored>();

  constructor(store: Pick<RecordStore, 'listDocuments' | 'putDocument'>) {
    this.#store = store;
  }

  /** Reads them anew: another process may have written meanwhile. */
  async load(): Promise<void> {
    const documents = await this.#store.listDocuments('webhook-notices');
    this.#stored = new Map(
      documents.map((document) => {
        const { revision, value } = webhookDocument<'webhook-notices'>(document);
        return [value.organisationId, { revision, value }];
      }),
    );
  }

  of(organisationId: string): NoticesRecord | undefined {
    return this.#stored.get(organisationId)?.value;
  }

  /**
   * Writes what a look found together with the state by which the next look will not find it again.
   * @param afterSequence the newest log entry
   */
  async write(
    organisationId: string,
    { notices: found, state }: Findings,
    at: number,
    afterSequence: number,
  ): Promise<void> {
    const { revision, value } = this.#stored.get(organisationId) ?? { revision: 0, value: EMPTY };
    if (found.length === 0 && revision > 0 && isSame(state, value)) return;
    const added = found.map((notice, index) => ({
      ...notice,
      number: value.newest + index + 1,
      at,
      afterSequence,
    }));
    const record: NoticesRecord = {
      organisationId,
      newest: value.newest + added.length,
      notices: [...value.notices, ...added].slice(-NOTICES_KEPT),
      ...state,
    };
    try {
      await this.#store.putDocument(
        { kind: 'webhook-notices', id: organisationId, revision, value: record },
        null,
      );
      this.#stored.set(organisationId, { revision: revision + 1, value: record });
    } catch (error) {
      if (!(error instanceof TicketscanError && error.code === 'conflict')) throw error;
      await this.load();
    }
  }
}

const EMPTY: NoticesRecord = {
  organisationId: '',
  newest: 0,
  notices: [],
  offline: [],
  quota: {},
  denials: {},
};

function isSame(state: Findings['state'], { offline, quota, denials }: NoticesRecord): boolean {
  return JSON.stringify(state) === JSON.stringify({ offline, quota, denials });
}

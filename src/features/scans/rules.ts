import type { Operation } from '../../core/decision.ts';
import type { Direction } from '../../core/direction.ts';
import { TicketscanError } from '../../core/errors.ts';
import { findingInWords, readerFinding } from '../../core/reader-changes.ts';
import type { Language, ScanAnswer } from '../../core/scan-requests.ts';
import { type Keyring, verifyTicketCode } from '../../core/ticket-code.ts';
import { eventOfTicketId, ticketIdIn } from '../../core/ticket-id.ts';
import type { ScanInput, ScanService } from '../../scan/scan-service.ts';
import { actorOf, type Principal } from '../accounts/access.ts';
import type { AccountDeps } from '../accounts/rules.ts';
import { auditEntryOf } from '../actor.ts';

/** A scan that a signed-in account asks for. */
export interface AccountScan {
  readonly operation: Operation;
  /** The code, or the identifier as it is printed. */
  readonly ticketCode: string;
  /** The same for every attempt at this scan. */
  readonly requestId: string;
  readonly language: Language;
  /** Whether a person chose the ticket, and read no code. */
  readonly byHand: boolean;
  /** How many uses a consume takes, all or none. */
  readonly uses: number;
  /** Which way the gate leads: outwards a consume counts people out, and takes no use. */
  readonly direction: Direction;
}

/** Scans by people who are signed in: the account is their gate (ADR 0050). */
export class AccountScans {
  readonly #deps: Omit<AccountDeps, 'passwords'>;
  readonly #keyring: () => Keyring;
  readonly #service: () => ScanService;
  /** Accounts that the store knows as gates. */
  readonly #known = new Set<string>();

  constructor(
    deps: Omit<AccountDeps, 'passwords'>,
    keyring: () => Keyring,
    service: () => ScanService,
  ) {
    this.#deps = deps;
    this.#keyring = keyring;
    this.#service = service;
  }

  /**
   * Decides one scan as `ScanService.scan` does, in the bucket and the scope of the account.
   * Rejects when its outcome is unknown: then a use may or may not be registered.
   */
  async scan(principal: Principal, scan: AccountScan): Promise<ScanAnswer> {
    const answer = await this.#scan(principal, scan);
    if (answer.kind !== 'key_refused') return answer;
    // The store was restored to a state in which this account had not scanned yet.
    this.#known.delete(principal.account.id);
    return this.#scan(principal, scan);
  }

  async #scan(principal: Principal, scan: AccountScan): Promise<ScanAnswer> {
    const { account, organisation, events, phone } = principal;
    await this.#makeKnown(principal);
    const { ticketCode } = scan;
    const typed = typedTicketOf(ticketCode);
    const several = scan.uses > 1 ? [scan.uses] : [];
    const { direction } = scan;
    const way = direction === 'out' ? [direction] : [];
    return this.#service().scanAs(
      { id: account.id, rate: organisation.limits, events },
      {
        operation: scan.operation,
        ticketCode,
        ...(typed && { typed }),
        ...(phone && { device: { model: 'phone', serial: phone.name, reader: null } }),
        retry: {
          name: scan.requestId,
          body: Buffer.from(
            JSON.stringify([
              scan.operation,
              typed?.ticketId ?? this.#sameFor(ticketCode),
              ...several,
              ...way,
            ]),
          ),
          language: scan.language,
        },
        ...(scan.byHand && { byHand: true }),
        ...(direction === 'out' && { direction }),
        ...(scan.uses > 1 && { uses: scan.uses }),
      },
    );
  }

  /** Says how a reader changed a code that was refused as forged or damaged; null if it is unknown. */
  hintFor({ ticketCode, language }: Pick<AccountScan, 'ticketCode' | 'language'>): string | null {
    const finding = readerFinding(ticketCode, this.#keyring());
    return finding ? findingInWords(finding, language) : null;
  }

  /** One text for every genuine code of a ticket: a scan may be repeated with the identifier in place of the code. */
  #sameFor(ticketCode: string): string {
    return verifyTicketCode(ticketCode, this.#keyring())?.ticketId ?? ticketCode;
  }

  async #makeKnown(principal: Principal): Promise<void> {
    const { id, name } = principal.account;
    if (this.#known.has(id)) return;
    const { store, clock } = this.#deps;
    const organisationId = principal.organisation.id;
    const change = { act: 'account.first-scan', subject: id, organisationId, details: { name } };
    if ((await store.read('scanner', id)) === undefined) {
      const scanner = { id, organisationId, name, createdAt: clock.now() };
      const audit = [auditEntryOf(actorOf(principal), clock, change)];
      try {
        await store.write({ records: [{ kind: 'scanner', before: null, after: scanner }], audit });
      } catch (error) {
        // Another request of the account, in whichever process, was faster.
        if (!(error instanceof TicketscanError) || error.reason !== 'changed_meanwhile')
          throw error;
      }
    }
    this.#known.add(id);
  }
}

/** The ticket of a printed identifier, which is accepted in place of its code: the caller is signed in, and identifiers cannot be guessed. */
function typedTicketOf(text: string): ScanInput['typed'] {
  const ticketId = ticketIdIn(text);
  const eventId = ticketId === undefined ? undefined : eventOfTicketId(ticketId);
  return ticketId === undefined || eventId === undefined ? undefined : { ticketId, eventId };
}

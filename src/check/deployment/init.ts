import { KEY_NAMES, keyVariable, TICKET_KINDS, type TicketKind } from './target.ts';

/**
 * A commented target file to fill in. It is plain JSON: members that begin with `//` are comments.
 * @param baseUrl base address of the deployment
 */
export function sampleTargetFile(baseUrl = 'https://scan.example.org'): string {
  return `${JSON.stringify(sampleTarget(baseUrl), null, 2)}\n`;
}

const EXAMPLES: Partial<Record<TicketKind, readonly object[]>> = {
  multi: [{ code: 'env:MULTI_TICKET', usesAllowed: 10 }],
  personalised: [
    {
      code: 'env:PERSONALISED_TICKET',
      holder: { firstName: 'Zoë', lastName: 'Grünwald-Müller' },
    },
  ],
};

function sampleTarget(baseUrl: string): object {
  return {
    '//': [
      'Describes a deployment for `ticketscan check`. Members that begin with // are comments.',
      'Leave out what you do not have: the cases that need it are skipped, with the reason.',
      'A key or a ticket can be written as env:NAME or file:PATH, so that this file contains no secret.',
    ],
    baseUrl,
    '// keys': [
      'rest: own software, all events. restScoped: own software, only the event of the tickets below.',
      'hardware, hardwareScoped: the same for devices. disabled, deleted: keys in those states.',
      'quotaExhausted, hardwareQuotaExhausted: no requests left in this month. A check is complete without these two.',
      'spare, hardwareSpare (with "changes": ticketscan docs target-file): keys that --hook may disable, rename, scope and delete.',
    ],
    keys: Object.fromEntries(KEY_NAMES.map((name) => [name, `env:${keyVariable(name)}`])),
    '// limits':
      'Requests for each key, where they differ from the 50 a second and 100 at once of the specification.',
    limits: { rate: 50, burst: 100 },
    '// tickets': [
      'single to windowed: unused, in the scope of every key. With --consume they are used up: use test tickets.',
      'A complete run needs 40 single, 21 multi and 1 to 14 of every other kind; ticketscan docs target-file has the numbers.',
      'multi: at least 3 uses left, at most 12 so that the end of a card can be seen.',
      'otherEvent: valid, but outside the scoped keys. unknown: correctly signed, but no such ticket;',
      'with "inScope": true where its event is one of the scoped keys.',
      'openEnd: a start and no end. openStart: an end and no start. hundred: a card of 100 uses. All unused, may be spent.',
      'otherOrganisation: a good ticket of another organisation. permanentEnded: a permanent card that was used 9999 times.',
      'otherEventCancelled, otherEventExpired: in that state, and outside the scoped keys.',
      'A check is complete without the last seven kinds; otherOrganisation and permanentEnded are never changed.',
      'A ticket is its code, or an object that says more and makes the check stricter.',
    ],
    tickets: Object.fromEntries(TICKET_KINDS.map((kind) => [kind, EXAMPLES[kind] ?? []])),
  };
}

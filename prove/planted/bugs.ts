import type { PlantedBug } from './bug.ts';

const ENGINE = 'stores/sqlite/sqlite-engine.ts';
const OPEN_DATABASE = 'stores/sqlite/open-database.ts';
const SCAN_STATE = 'stores/sqlite/sqlite-scan-state.ts';
const BATCH = 'core/scan-batch.ts';
const DECISION = 'core/decision.ts';

const SYNC_CHECK = { file: OPEN_DATABASE, text: ' || synchronous !== 2', becomes: '' };
const SAVE_USE = "if (decision.status === 'consumed') state.saveUse(decision.ticket);";
const APPEND_LOG = 'state.appendLog(entry);';

/** Each must be caught by the history checker; a text that is no longer in the sources fails loudly. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'reads the tickets of a batch, then writes',
    edits: [
      {
        file: ENGINE,
        text: 'const outcomes = requests.map((request) => answerInBatch(request, this.#state));',
        becomes: `const state = this.#state;
      const read = new Map<string, ReturnType<typeof state.ticket>>();
      const ticket = (id: string) => {
        if (!read.has(id)) read.set(id, state.ticket(id));
        return read.get(id);
      };
      const early = new Proxy(state, {
        get: (target, name) => {
          if (name === 'ticket') return ticket;
          const value = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const outcomes = requests.map((request) => answerInBatch(request, early));`,
      },
    ],
    scenario: 'load',
    breaks: ['distinct-counts', 'counter-equals-log'],
  },
  {
    name: 'keeps the counters in the process and never looks at what others wrote',
    edits: [
      {
        file: 'stores/sqlite/pending-uses.ts',
        text: 'if (last !== seen) {',
        becomes: 'if (last !== seen && this.#seen === 0) {',
      },
    ],
    scenario: 'two-servers',
    breaks: ['distinct-counts', 'counter-equals-log'],
  },
  {
    name: 'never syncs',
    edits: [
      {
        file: OPEN_DATABASE,
        text: 'PRAGMA synchronous = FULL',
        becomes: 'PRAGMA synchronous = OFF',
      },
      SYNC_CHECK,
    ],
    scenario: 'power-cut',
    breaks: ['acknowledged-is-stored', 'file-is-sound'],
  },
  {
    name: 'syncs at checkpoints only',
    edits: [
      {
        file: OPEN_DATABASE,
        text: 'PRAGMA synchronous = FULL',
        becomes: 'PRAGMA synchronous = NORMAL',
      },
      SYNC_CHECK,
    ],
    scenario: 'power-cut',
    breaks: ['acknowledged-is-stored'],
  },
  {
    name: 'answers before it commits',
    edits: [
      {
        file: OPEN_DATABASE,
        text: "database.exec('BEGIN IMMEDIATE');",
        becomes:
          "if (database.isTransaction) database.exec('COMMIT');\n  database.exec('BEGIN IMMEDIATE');",
      },
      {
        file: OPEN_DATABASE,
        text: '    transaction.commit();\n    return result;',
        becomes: `    setTimeout(() => {
      if (database.isOpen && database.isTransaction) transaction.commit();
    }, 10);
    return result;`,
      },
    ],
    scenario: 'power-cut',
    breaks: ['acknowledged-is-stored'],
  },
  {
    name: 'counts uses by code instead of by ticket',
    edits: [
      {
        file: 'scan/scan-service.ts',
        text: "return { kind: 'ticket', ticketId, eventId };",
        becomes: "return { kind: 'ticket', ticketId, eventId, code: ticketCode } as ScanSubject;",
      },
      {
        file: 'stores/sqlite/worker-messages.ts',
        text: "if (subject.kind !== 'ticket' || subject.typed) return request;",
        becomes: "if (subject.kind !== 'ticket' || 'code' in subject) return request;",
      },
      {
        file: BATCH,
        text: 'return decideAtReader(state.ticket(ticketId), request, key);',
        becomes: `const { code } = subject as unknown as { code: string };
  const found = state.ticket(subject.ticketId);
  const counted = found && { ...found, usesConsumed: usesByCode.get(code) ?? 0 };
  const decision = decideAtReader(counted, request, key);
  if (decision.status === 'consumed') usesByCode.set(code, decision.ticket.usesConsumed);
  return decision;
}
const usesByCode = new Map<string, number>();
{`,
      },
    ],
    scenario: 'load',
    breaks: ['distinct-counts'],
  },
  {
    name: 'remembers a key after it was disabled',
    edits: [
      {
        file: SCAN_STATE,
        text: 'if (revision !== this.#revision) {',
        becomes: 'if (this.#revision === -1) {',
      },
      {
        file: 'scan/key-cache.ts',
        text: 'if (revision === this.#revision) return;',
        becomes: 'if (this.#keys.size > 0) return;',
      },
    ],
    scenario: 'load',
    breaks: ['revoked-is-refused'],
  },
  {
    name: 'ignores that a ticket was cancelled',
    edits: [
      {
        file: DECISION,
        text: 'if (ticket.cancelledAt !== null)',
        becomes: 'if (ticket.cancelledAt === 0)',
      },
    ],
    scenario: 'load',
    breaks: ['revoked-is-refused'],
  },
  {
    name: 'registers the uses of devices without a log entry',
    edits: [
      { file: BATCH, text: APPEND_LOG, becomes: `if (request.serial === null) ${APPEND_LOG}` },
    ],
    scenario: 'load',
    breaks: ['acknowledged-is-stored'],
  },
  {
    name: 'logs the uses of devices without counting them',
    edits: [
      {
        file: BATCH,
        text: SAVE_USE,
        becomes: SAVE_USE.replace("'consumed'", "'consumed' && request.serial === null"),
      },
    ],
    scenario: 'load',
    breaks: ['distinct-counts', 'counter-equals-log'],
  },
  {
    name: 'counts a retried request twice',
    edits: [
      {
        file: BATCH,
        text: 'if (stored && isAnswerFor(stored, retry, request.now) &&',
        becomes: 'if (stored && !isAnswerFor(stored, retry, request.now) &&',
      },
    ],
    scenario: 'load',
    breaks: ['distinct-counts', 'nothing-else-changed'],
  },
  {
    name: 'gives a stored answer again after the clock was set back',
    edits: [
      {
        file: BATCH,
        text: 'stored.expiresAt > now && aheadMs < Math.min(windowMs, CLOCKS_DIFFER_MS)',
        becomes:
          'stored.expiresAt > now && aheadMs < Infinity && windowMs < CLOCKS_DIFFER_MS * 1e9',
      },
    ],
    scenario: 'simulation',
    breaks: ['distinct-counts', 'acknowledged-is-stored'],
  },
  {
    name: 'takes the cards at devices without a serial for repeats of one another',
    edits: [
      {
        file: 'scan/scan-service.ts',
        text: 'return device?.serial != null && identifiesDevice(device.serial) && !device.sharesSerial;',
        becomes:
          "return device !== undefined && identifiesDevice('S'.concat(device.serial ?? ''));",
      },
    ],
    scenario: 'simulation',
    breaks: ['distinct-counts', 'acknowledged-is-stored'],
  },
  {
    name: 'allows one use too many',
    edits: [
      {
        file: DECISION,
        text: 'ticket.usesConsumed >= ticket.usesAllowed',
        becomes: 'ticket.usesConsumed > ticket.usesAllowed',
      },
    ],
    scenario: 'load',
    breaks: ['distinct-counts', 'counter-equals-log'],
  },
  {
    name: 'admits after the end of the window',
    edits: [
      {
        file: DECISION,
        text: 'if (hasEnded(ticket, now)) ',
        becomes: 'if (hasEnded(ticket, now - 1e12)) ',
      },
    ],
    scenario: 'load',
    breaks: ['inside-the-window'],
  },
  {
    name: 'refuses a guest before the end of the window',
    edits: [
      {
        file: DECISION,
        text: 'if (hasEnded(ticket, now)) ',
        becomes: 'if (hasEnded(ticket, now + 1e12)) ',
      },
    ],
    scenario: 'load',
    breaks: ['refused-with-cause'],
  },
  {
    name: 'spends a use on a look',
    edits: [
      {
        file: BATCH,
        text: SAVE_USE,
        becomes: `${SAVE_USE}
  if (decision.status === 'validated') {
    const ticket = { ...decision.ticket, usesConsumed: decision.ticket.usesConsumed + 1, lastConsumedAt: request.now };
    state.saveUse(ticket);
    const spent = { status: 'consumed', ticket, scannedAt: request.now } as const;
    state.appendLog(logEntry(request, key, spent, false));
  }`,
      },
    ],
    scenario: 'load',
    breaks: ['nothing-else-changed'],
  },
  {
    name: 'fills the bucket twice as high as the limit says',
    edits: [
      {
        file: 'core/limits.ts',
        text: 'const { ratePerSecond, burst } = this.rate;',
        becomes: 'const { ratePerSecond, burst: half } = this.rate;\n    const burst = half * 2;',
      },
      {
        file: 'core/limits.ts',
        text: 'this.#tokens = burst;',
        becomes: 'this.#tokens = burst * 2;',
      },
    ],
    scenario: 'load',
    breaks: ['rate-held'],
  },
  {
    name: 'lets one request through above the quota',
    edits: [{ file: BATCH, text: '>= key.quotaPerMonth', becomes: '> key.quotaPerMonth' }],
    scenario: 'load',
    breaks: ['quota-held'],
  },
  {
    name: 'gives the answers of a batch to the wrong requests',
    edits: [
      {
        file: 'scan/commit-queue.ts',
        text: 'const outcome = outcomes[index];',
        becomes: 'const outcome = outcomes[outcomes.length - 1 - index];',
      },
    ],
    scenario: 'load',
    breaks: ['acknowledged-is-stored', 'distinct-counts'],
  },
  {
    name: 'lets wall time run backwards within a ticket',
    edits: [
      {
        file: DECISION,
        text: 'Math.max(now, ticket.lastConsumedAt ?? now)',
        becomes: 'now - (ticket.usesConsumed % 2) * 1000',
      },
    ],
    scenario: 'load',
    breaks: ['counter-equals-log'],
  },
];

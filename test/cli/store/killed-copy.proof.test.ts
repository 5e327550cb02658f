import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ScanRequest } from '../../../src/core/scan-batch.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import { type CopyCheckpoint, SECTIONS } from '../../../src/stores/transfer/records.ts';
import { finished, Workplace } from '../../mint/support/program.ts';
import { AN_AUDIT_ENTRY } from '../../support/an-audit-entry.ts';

/** What each run that is killed writes at that moment. */
const KILLED_AT = ['tickets', 'log'] as const;
/** Several pages of each: a run that is killed must have something left to do. */
const TICKETS = 20_000;
const USES = 10_000;

const SOURCE = 'sqlite:./source.db';
const place = new Workplace();
let whole: Copy;

beforeAll(async () => {
  await place.output('seed', '--store', SOURCE, '--count', '2', '--out', 'target.json');
  await addTicketsAndUses();
  whole = await place.json<Copy>('store', 'copy', SOURCE, 'json:./whole.json');
}, 120_000);

afterAll(() => place.remove());

test.each([
  [SOURCE, 'sqlite:./copy.db'],
  [SOURCE, 'json:./copy.json'],
  ['json:./whole.json', 'sqlite:./again.db'],
])(
  'a copy from %s to %s that is killed, and killed again, is completed by the same command',
  {
    timeout: 120_000,
  },
  async (from, to) => {
    await killCopies(from, to);
    const tooEarly = await place.run('audit', '--store', to);
    const copy = await place.json<Copy>('store', 'copy', from, to);

    expect(tooEarly).toMatchObject({ code: 2, stderr: expect.stringContaining('incomplete copy') });
    expect(copy).toMatchObject({ resumed: true, equal: true });
    expect(copy.sections).toEqual(whole.sections);
    expect(await place.json('audit', '--store', to)).toMatchObject({ ok: true });
  },
);

/** Kills run after run, each as soon as it has written a page that the run before had not, and writes the next. */
async function killCopies(from: string, to: string): Promise<void> {
  for (const section of KILLED_AT) {
    const before = noteOf(to);
    const child = place.start('store', 'copy', from, to);
    const ended = finished(child);
    while (!hasReached(section, before, noteOf(to)) && child.exitCode === null) await sleep(1);
    child.kill('SIGKILL');
    const { code, stderr } = await ended;
    expect(code, stderr || 'it came to its end before it was killed').toBe(null);
  }
}

function hasReached(
  section: CopyCheckpoint['section'],
  before: string | undefined,
  now: string | undefined,
): boolean {
  if (now === undefined || now === before) return false;
  return SECTIONS.indexOf((JSON.parse(now) as CopyCheckpoint).section) >= SECTIONS.indexOf(section);
}

/** How far a copy has come, read from its files, past the program. */
function noteOf(url: string): string | undefined {
  const path = place.path(url.replace(/^\w+:/u, ''));
  try {
    return url.startsWith('json:') ? lastNoteIn(`${path}.log`) : noteInDatabase(path);
  } catch {
    // Not there yet, or just being made.
    return undefined;
  }
}

function lastNoteIn(log: string): string | undefined {
  const notes = readFileSync(log, 'latin1').match(/(?<=\["copy",)\{.*?\}/gu);
  return notes?.at(-1);
}

function noteInDatabase(path: string): string | undefined {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare('SELECT note FROM unfinished_copy').get()?.['note'] as string;
  } finally {
    database.close();
  }
}

async function addTicketsAndUses(): Promise<void> {
  const store = await openStore(`sqlite:${place.path('source.db')}`);
  const [event] = await store.list('event');
  const [key] = (await store.list('key')).filter(
    ({ active, events }) => active && events === 'all',
  );
  if (!event || !key) throw new Error('the seeded store has no event or no key');
  const ticketIds = Array.from(
    { length: TICKETS },
    (_, index) => `tkt_${event.id}_${String(index).padStart(20, '0')}`,
  );
  await store.insertTickets(
    ticketIds.map((id) => ({
      id,
      eventId: event.id,
      ticketType: 'single',
      usesAllowed: 1,
      holder: { firstName: 'Şükrü', lastName: id },
      validFrom: null,
      validUntil: null,
      createdAt: 1,
    })),
    AN_AUDIT_ENTRY,
  );
  const requests = ticketIds.slice(0, USES).map(
    (ticketId): ScanRequest => ({
      kind: 'scan',
      keyId: key.id,
      operation: 'consume',
      subject: { kind: 'ticket', ticketId, eventId: event.id },
      now: Date.now(),
      serial: null,
      reader: null,
      retry: null,
    }),
  );
  await store.commitScans(requests);
  await store.close();
}

interface Copy {
  readonly resumed: boolean;
  readonly equal: boolean;
  readonly sections: Record<string, { records: number; checksum: string }>;
}

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inTurns, ratioOf } from '../../lib/in-turns.ts';
import { median } from '../../lib/load.ts';
import { measuredLoad } from '../../lib/measured-load.ts';
import { loadTickets, startTicketscan, writeCodes } from '../../lib/servers.ts';
import { SOUL, startSoul } from '../../lib/soul.ts';
import type { Measure } from './measure.ts';

const TICKETS = 10_000;
const CONNECTIONS = 64;

/** A published service that does the least of what a scan needs: a row in SQLite, on the disk before the answer. */
export const peer: Measure = {
  name: 'peer',
  about: `consumes a second against inserted rows of ${SOUL.name}, a REST server over SQLite`,
  async run({ quick, folder }) {
    const own = mkdtempSync(join(folder, 'own-'));
    const { key, codes } = await loadTickets(own, TICKETS, TICKETS);
    const codesFile = writeCodes(own, codes);
    const server = await startTicketscan(own);
    const soul = await startSoul(mkdtempSync(join(folder, 'soul-')));
    const shape = { key, codesFile, connections: CONNECTIONS, seconds: quick ? 1 : 2 };
    const turns = await inTurns(
      {
        consume: measuredLoad(server, shape),
        soul: measuredLoad(soul, { ...shape, post: SOUL.post }),
      },
      quick ? 1 : 5,
    );
    await Promise.all([server.stop(), soul.stop()]);
    const eachUs = (name: keyof typeof turns) =>
      `${median(turns[name].results.map(({ allUs }) => allUs)).toFixed(0)} µs`;
    return {
      title: 'Against another service (peer)',
      notes: [
        `${SOUL.title} inserts one row for each POST, with one fsync; a consume checks a signature, counts and logs, and many share one fsync.`,
        `${CONNECTIONS} connections. ${SOUL.how}`,
      ],
      lines: [
        {
          id: 'peer/rate',
          what: 'durable consumes a second',
          against: 'its durable inserts',
          figure: `${turns.consume.rate.toFixed(0)} /s`,
          reference: `${turns.soul.rate.toFixed(0)} /s`,
          ratio: ratioOf(turns.consume, turns.soul),
          measures: 'wall clock',
        },
        {
          id: 'peer/processor',
          what: 'processor time of a consume',
          against: 'of its insert',
          figure: eachUs('consume'),
          reference: eachUs('soul'),
          ratio: ratioOf(turns.consume, turns.soul, ({ allUs }) => allUs),
          measures: 'processor time',
        },
      ],
    };
  },
};

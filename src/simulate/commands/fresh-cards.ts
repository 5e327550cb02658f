import { withMinter } from '../../check/commands/minter.ts';
import type { CliIo } from '../../terminal/io.ts';
import type { CardFile } from '../cards/card-file.ts';
import { cardOf } from '../cards/card-label.ts';
import { SimulateError } from '../errors.ts';
import { parseDuration, parseRate, parseWhole } from '../parse.ts';
import type { SimulateOptions } from './options.ts';

/** Arrivals vary around the rate: more people than cards would come with cards that are spent. */
const MARGIN_SHARE = 0.1;
const MARGIN = 20;
const FRESH_MAX = 100_000;

/**
 * Makes a single ticket for each person of the run, in the event of the file's tickets or `--mint-event`.
 * @throws SimulateError `usage` when it is not said where, or how many
 */
export async function freshCards(
  file: CardFile,
  baseUrl: string,
  options: SimulateOptions,
  io: CliIo,
): Promise<CardFile> {
  const count = freshCount(options);
  if (options.token === undefined && options.store === undefined)
    throw new SimulateError(
      'usage',
      '--cards fresh creates tickets: add --token TOKEN (an access token of the admin API), or --store URL (the store of the server).',
    );
  const single = (file.states.get('single') ?? []).map(({ code }) => code);
  const target = { ...(single.length > 0 ? { tickets: { single } } : {}) };
  const service = { baseUrl, target, batch: Math.min(count, 1000) };
  const cards: CardFile['cards'][number][] = [];
  await withMinter(io, options, service, async (mint) => {
    for (let i = 0; i < count; i += 1) {
      const ticket = await mint?.('single');
      if (ticket) cards.push(cardOf(ticket.code));
    }
  });
  return { ...file, cards };
}

function freshCount({ people, rate, duration, devices }: SimulateOptions): number {
  const count =
    people !== undefined
      ? parseWhole(people, 'a number of people')
      : duration === undefined
        ? parseWhole(devices ?? '1', 'a number of devices')
        : arriving(parseRate(rate ?? '1'), parseDuration(duration));
  if (count <= FRESH_MAX) return count;
  throw new SimulateError(
    'usage',
    `--cards fresh creates at most ${FRESH_MAX} tickets, not ${count}.`,
  );
}

function arriving(rate: number | 'max', durationMs: number): number {
  if (rate === 'max')
    throw new SimulateError(
      'usage',
      '--cards fresh with --rate max needs --people: one ticket for each.',
    );
  return Math.ceil((rate * durationMs * (1 + MARGIN_SHARE)) / 1000) + MARGIN;
}

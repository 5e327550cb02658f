import { withMinter } from '../../features/mint/commands/minter.ts';
import type { CliIo } from '../../terminal/io.ts';
import { type CardFile, cardOf } from '../cards/card-file.ts';
import type { Card } from '../device-events.ts';
import { SimulateError } from '../errors.ts';
import type { SimulateOptions } from './options.ts';

/** Arrivals vary around the rate: more people than cards would come with cards that are spent. */
const MARGIN_SHARE = 0.1;
const MARGIN = 20;
const NEW_MAX = 100_000;

/**
 * Makes a single ticket for each person of the run, in the event of the file's tickets or `--mint-event`.
 * @throws SimulateError when it is not said where, or how many
 */
export async function freshCards(
  file: CardFile,
  baseUrl: string,
  options: SimulateOptions,
  io: CliIo,
): Promise<CardFile> {
  const count = peopleOf(options);
  if (options.token === undefined && options.store === undefined)
    throw new SimulateError(
      '--cards fresh creates tickets: add --token TOKEN (an access token of the admin API), or --store URL (the store of the server).',
    );
  const service = { baseUrl, code: file.states.get('single')?.[0]?.code };
  const cards: Card[] = [];
  await withMinter(io, options, service, async (mint) => {
    const made = (await mint?.({ type: 'single' }, count)) ?? [];
    cards.push(...made.map(({ code }) => cardOf(code)));
  });
  return { ...file, cards };
}

/** A card for each person, for the service at `virtual:`, where every card is a ticket. @throws SimulateError */
export function inventedCards(options: SimulateOptions): Card[] {
  return Array.from({ length: peopleOf(options) }, (_, index) =>
    cardOf(`TS1.tkt_virtual_${index + 1}.signature`),
  );
}

/** How many people may come. @throws SimulateError */
function peopleOf({ people, rate = 1, duration, devices = 1 }: SimulateOptions): number {
  if (rate === 'max' && duration !== undefined && people === undefined) {
    throw new SimulateError('New cards with --rate max need --people: one for each.');
  }
  const arriving = ((Number(rate) * (duration ?? 0)) / 1000) * (1 + MARGIN_SHARE) + MARGIN;
  const count = people ?? (duration === undefined ? devices : Math.ceil(arriving));
  if (count <= NEW_MAX) return count;
  throw new SimulateError(`At most ${NEW_MAX} new cards are created, not ${count}.`);
}

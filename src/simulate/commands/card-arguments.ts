import { existsSync } from 'node:fs';
import type { CliIo } from '../../terminal/io.ts';
import { readSecretValue } from '../../terminal/options.ts';
import { type CardFile, readCardFile } from '../cards/card-file.ts';
import { cardOf } from '../cards/card-label.ts';
import { isImageName, readImage } from '../cards/read-image.ts';
import type { Card } from '../scan-attempt.ts';

/** The card that one value of `--card` means: an image file, or a code. */
async function cardFromArgument(text: string, io: CliIo): Promise<Card> {
  if (isImageName(text) || (existsSync(text) && !text.includes('.tkt_'))) return readImage(text);
  return cardOf(readSecretValue(text, io));
}

/** All cards of `--card` and `--cards-from`, in that order, and what else the file says. */
export async function cardsFromOptions(
  options: {
    readonly card?: readonly string[];
    readonly cardsFrom?: string;
    readonly states?: string;
  },
  io: CliIo,
): Promise<CardFile> {
  const given: Card[] = [];
  for (const text of options.card ?? []) given.push(await cardFromArgument(text, io));
  if (options.cardsFrom === undefined) return { cards: given, states: new Map() };
  const states = options.states?.split(',').map((state) => state.trim());
  const file = await readCardFile(options.cardsFrom, states);
  return { ...file, cards: [...given, ...file.cards] };
}

import { describe, expect, test } from 'vitest';
import { TicketscanError } from '../../src/core/errors.ts';
import { TestService } from '../support/service.ts';
import { nameCases } from './support/corpus.ts';

/** Runs every case and tells which went another way than the corpus says. */
async function surprises(
  kind: 'record' | 'holder',
  use: (text: string) => Promise<string | undefined>,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { says, text, expect: wanted } of nameCases.filter(({ name }) => name === kind)) {
    const happened = await use(text).then((problem) => problem ?? 'accepted', refusal);
    if (happened !== wanted) wrong.push(`${says}: ${happened}`);
  }
  return wrong;
}

/** How a name was turned down: for a reason that a person can read, or else what went wrong. */
function refusal(error: unknown): string {
  const isReason = error instanceof TicketscanError && error.code === 'usage';
  return isReason && !/\p{Cc}/u.test(error.message) ? 'refused' : `failed with ${error}`;
}

describe.each(['memory', 'sqlite'] as const)('in %s', (store) => {
  test('names of events and keys are kept as they are, or refused with a reason', async () => {
    await using service = await TestService.start({ store });
    const wrong = await surprises('record', async (text) => {
      const { name } = await service.administration.createEvent(text, service.seeded.organisation);
      const { key } = await service.administration.createKey({
        name: text,
        type: 'api',
        events: [service.seeded.events.main],
      });
      const kept = (await service.store.list('key')).find(({ id }) => id === key.id);
      await service.administration.deleteKey(key.id);
      return name === text && kept?.name === text ? undefined : 'it was changed';
    });
    expect(wrong).toEqual([]);
  });

  test('whoever the holder is, the display gets at most 16 bytes of whole characters', async () => {
    await using service = await TestService.start({ store });
    const wrong = await surprises('holder', async (text) => {
      const code = await service.mint({ firstName: text, lastName: '' });
      const { status, json } = await service.card('validate', code);
      const rest = await service.rest('validate', code);
      if (rest.json.holder?.firstName !== text)
        return `REST says ${JSON.stringify(rest.json.holder)}`;
      const isCut = text.trim().startsWith(json.Name) && json.Name.isWellFormed();
      return status === 200 && isCut && Buffer.byteLength(json.Name) <= 16
        ? undefined
        : `shown as ${json.Name}`;
    });
    expect(wrong).toEqual([]);
  });
});

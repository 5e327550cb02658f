import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { nameCases, requestCases, requestGroups } from './support/corpus.ts';
import { Player, SECRETS } from './support/play.ts';
import { CorpusService } from './support/service.ts';
import { badInputCorpus } from './write-corpus.ts';

test('the corpus is what its cases write, and large', () => {
  expect(readFileSync('fixtures/bad-input/corpus.jsonl', 'utf8') === badInputCorpus()).toBe(true);
  expect(requestCases.length + nameCases.length).toBeGreaterThan(3000);
});

describe('every request gets its documented answer, changes nothing, and does not harm the next one', () => {
  test.each(requestGroups.filter((group) => group !== 'time-limits'))(
    '%s',
    async (group) => {
      await using service = await CorpusService.start();
      const before = await service.state();
      const player = new Player(service);
      for (const one of requestCases.filter((each) => each.group === group)) await player.play(one);
      player.close();

      expect(player.failures).toEqual([]);
      expect(await service.state()).toBe(before);
      expect(SECRETS.filter((secret) => service.logs.includes(secret))).toEqual([]);
      expect(service.logs.split('\n').filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
    },
    120_000,
  );
});

import { describe, expect, test } from 'vitest';
import { Player, SECRETS } from './support/player.ts';
import { type Reading, WireService } from './support/wire-service.ts';
import { CONTRACT } from './wire/contract.ts';

describe.each<Reading>(['plain', 'node'])('read by %s', (reads) => {
  test.each(Object.entries(CONTRACT))(
    '%s: each request gets its documented answer, changes nothing, and does not harm the next one',
    async (group, rows) => {
      await using service = await WireService.start({ reads });
      const before = await service.state();
      const player = new Player(service);
      for (const row of rows) await player.play({ ...row, group });
      player.close();

      expect(player.failures).toEqual([]);
      expect(await service.state()).toBe(before);
      expect(SECRETS.filter((secret) => service.logs.includes(secret))).toEqual([]);
      expect(service.logs.split('\n').filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
    },
  );
});

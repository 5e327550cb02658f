import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RemoteFolder } from '../../support/remote.ts';
import { words } from '../../support/words.ts';

/** A race of which each try needs a new ticket of each kind. */
const RACE = {
  format: 'ticketscan-history',
  version: 1,
  groups: ['single', 'multi', 'personalised', 'windowed', 'hundred'].map((kind) => ({
    steps: [{ endpoint: 'consume', key: 'rest', ticket: { kind, place: 0 }, times: 3 }],
    dispatch: 'together',
    over: 'new',
  })),
};

test.each(['--token', '--store'])('%s makes the tickets that a target lacks', async (option) => {
  await using folder = await RemoteFolder.start();
  const { token, cli, server } = folder;
  const history = join(cli.path, 'race.json');
  writeFileSync(history, JSON.stringify(RACE));
  const target = join(cli.path, 'target.json');
  writeFileSync(target, JSON.stringify({ keys: { rest: folder.restKey } }));
  const events: { id: string; name: string }[] = await cli.json(['events', 'list']);
  const event = events.find(({ name }) => name === 'Summer pool')?.id ?? '';
  const args = words`check explore ${server.url} --replay ${history} --target ${target} --consume`;
  expect((await cli.run(args)).code).toBe(2);

  const made = { '--token': 'env:ADMIN', '--store': `sqlite:${join(cli.path, 'ticketscan.db')}` };
  const value = made[option as keyof typeof made];
  const { code, out, err } = await cli.run([...args, '--mint-event', event, option, value], {
    ADMIN: token,
  });
  expect(out + err).toContain('FIXED: 20 tries without the fault.');
  expect(code).toBe(0);
  expect(out + err + readFileSync(history, 'utf8')).not.toContain(token);
});

import { expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';

test('a scanner is made for selected events, given others, and made something else', async () => {
  await using folder = new CliFolder();
  for (const name of ['Pool', 'Sauna']) await folder.run(['events', 'create', '--name', name]);
  const events = JSON.parse((await folder.run(['events', 'list', '--json'])).out) as {
    id: string;
    name: string;
  }[];
  const idOf = (wanted: string) => events.find(({ name }) => name === wanted)?.id ?? '';
  const env = { PW: 'correct horse battery' };
  const create = ['accounts', 'create', '--name', 'north', '--password', 'env:PW', '--json'];
  const refused = await folder.run([...create, '--role', 'viewer', '--events', 'Pool'], env);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('role scanner')]);
  const made = await folder.run([...create, '--role', 'scanner', '--events', 'Pool'], env);
  expect(JSON.parse(made.out)).toMatchObject({ role: 'scanner', events: [idOf('Pool')] });

  const edit = ['accounts', 'edit', 'north'];
  expect((await folder.run(edit)).err).toContain('add --role or --events');
  const more = await folder.run([...edit, '--events', 'Pool, Sauna', '--json']);
  expect(JSON.parse(more.out).events).toEqual([idOf('Pool'), idOf('Sauna')]);
  expect((await folder.run([...edit, '--events', 'Opera'])).code).toBe(2);
  expect((await folder.run([...edit, '--role', 'operator'])).out).toContain('for all events');
  expect((await folder.run(['accounts', 'list'])).out).toMatch(/north +operator +all/);
});

test('events of an account are those of its organisation, whatever others have named theirs', async () => {
  await using folder = new CliFolder();
  for (const organisation of ['Lido', 'Jazzclub e.V.']) {
    await folder.run(['organisations', 'create', '--name', organisation]);
    await folder.run([
      ...['events', 'create', '--name', 'Jazznacht', '--organisation', organisation],
    ]);
  }
  await folder.run(['events', 'create', '--name', 'Sauna', '--organisation', 'Lido']);
  const env = { PW: 'correct horse battery' };
  const create = ['accounts', 'create', '--role', 'scanner', '--password', 'env:PW'];
  const club = ['--organisation', 'Jazzclub e.V.'];

  const made = await folder.run(
    [...[...create, '--name', 'gate', ...club, '--events', 'Jazznacht', '--json']],
    env,
  );
  expect(made.err).toBe('');
  expect(JSON.parse(made.out).events).toHaveLength(1);
  expect(await folder.run(['accounts', 'edit', 'gate', '--events', 'Jazznacht'])).toMatchObject({
    code: 0,
  });
  const key = ['keys', 'create', '--name', 'Gate', '--type', 'api'];
  for (const command of [
    [...key, ...club],
    ['keys', 'edit', 'Gate'],
  ])
    expect((await folder.run([...command, '--events', 'Jazznacht'])).code).toBe(0);
  for (const command of [
    [...create, '--name', 'other', ...club],
    ['accounts', 'edit', 'gate'],
    [...key, ...club],
  ]) {
    const { err } = await folder.run([...command, '--events', 'Sauna'], env);
    expect(err).toContain('Unknown event "Sauna".');
    expect(err).not.toContain('Lido');
  }
});

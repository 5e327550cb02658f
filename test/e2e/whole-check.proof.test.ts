import { expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';

test('seed makes a target with which check asks every case that needs no hook, and the server conforms', async () => {
  await using folder = new CliFolder();
  const limits = ['--rate', '2000', '--burst', '2000'];
  await folder.run(['seed', '--out', 'target.json', ...limits]);
  // a card that the same device reads again within 5 s gets its first answer again
  const { url } = await folder.serve(['--device-retry-window-ms', '5000']);
  const result = await folder.json([
    ...['check', url, '--target', 'target.json', '--consume', '--fail-on', 'skipped'],
    ...['--max-rate', '500'],
  ]);
  expect(result.verdict).toBe('conforms');
  const notAsked = result.cases.filter((one: { notAsked: [] }) => one.notAsked.length > 0);
  // What is done to keys takes effect at once: that wants a hook or a token.
  expect(notAsked.map(({ section }: { section: string }) => section)).toEqual(Array(7).fill('3.1'));

  // the neighbour that seed makes is never meant where no organisation is named
  const created = await folder.json(['keys', 'create', '--name', 'one more', '--type', 'api']);
  expect(created.key).toMatch(/^tscn_api_/);
  expect(await folder.json(['audit'])).toMatchObject({ ok: true });
});

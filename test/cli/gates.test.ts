import { expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';
import { RemoteFolder } from '../support/remote.ts';

interface ShownKey {
  readonly id: string;
  readonly key: string;
  readonly previousUntil: string;
  readonly cardUrl: string;
}

test('exits, rotation, expiry and people inside, on the store and at a server', async () => {
  await using folder = await RemoteFolder.start(1);
  const { cli, environment } = folder;
  await cli.run(['organisations', 'edit', '--keys-max', '20']);
  const json = async <Shown>(args: readonly string[], env: Record<string, string>) => {
    const { code, out, err } = await cli.run([...args, '--json'], env);
    expect([code, err]).toEqual([0, expect.anything()]);
    return JSON.parse(out) as Shown;
  };
  const ways = [{}, environment];
  for (const [index, env] of ways.entries()) {
    const name = `Turnstile ${index}`;
    const terms = ['--readers', '0=in,1=out', '--on-exit', 'open', '--expires', '2999-01-01'];
    const create = ['keys', 'create', '--name', name, '--type', 'hardware', ...terms];
    const made = await json<ShownKey>(create, env);
    expect(made).toMatchObject({ readers: { 0: 'in', 1: 'out' }, onExit: 'open' });
    const rotated = await json<ShownKey>(['keys', 'rotate', name, '--overlap', '2h'], env);
    expect(rotated).toMatchObject({ id: made.id, name, active: true, rotations: 1 });
    expect(rotated.key).not.toBe(made.key);
    expect(rotated.cardUrl).toContain(rotated.key);
    const aheadMs = Date.parse(rotated.previousUntil) - Date.now();
    expect(aheadMs / 60_000).toBeCloseTo(120, 0);

    const entered = await post(folder, made.key, 0);
    const left = await post(folder, rotated.key, 1);
    expect([entered['ActIndex'], left['ActIndex']]).toEqual(['0', '1']);
    const events = await json<{ name: string; inside: Record<string, number> }[]>(
      ['events', 'list'],
      env,
    );
    const event = events.find(({ inside }) => inside['exited'] === 1);
    // The sample data has entries of its own.
    expect(event?.inside['people']).toBe(Number(event?.inside['entered']) - 1);
    expect((await cli.run(['log'], env)).out).toMatch(/consumed in .*\n.*opened out /);
    const listed = await cli.run(['keys', 'list'], env);
    expect(listed.out).toMatch(/LAST USED .*READERS +EXPIRES/);
    expect(listed.out).toContain('0=in,1=out (out: open)');
    const reset = ['events', 'reset-inside', event?.name ?? ''];
    expect(await json(reset, env)).toMatchObject({ inside: { people: 0, entered: 0 } });
    const never = await json(['keys', 'edit', name, '--expires', 'never'], env);
    expect(never).not.toHaveProperty('expiresAt');
  }
});

/** A permanent card at a reader. */
async function post(
  { server, target }: RemoteFolder,
  key: string,
  Reader: number,
): Promise<Record<string, string>> {
  const Card = Buffer.from(target.tickets['permanent']?.[0] ?? '').toString('base64');
  const init = { method: 'POST', body: JSON.stringify({ Card, Serial: 'S', Reader }) };
  const answer = await fetch(`${server.url}/scan/hw/consume?key=${key}`, init);
  return (await answer.json()) as Record<string, string>;
}

test.each([
  ['keys', 'create', '--name', 'x', '--type', 'api', '--readers', '0=out'],
  ['keys', 'create', '--name', 'x', '--type', 'hardware', '--readers', '0=up'],
  ['keys', 'create', '--name', 'x', '--type', 'hardware', '--expires', '2001-01-01'],
  ['keys', 'rotate', 'x', '--overlap', '24'],
])('%s %s with a mistake is a usage error that says what is allowed', async (...args) => {
  await using folder = new CliFolder();
  const { code, err } = await folder.run(args);
  expect(code).toBe(2);
  expect(err).toMatch(/readers|in or out|in the past|a duration with its unit/);
});

import { expect, onTestFinished, test } from 'vitest';
import { device } from '../../mutants/faults/faulty-server.ts';
import { type ServerOptions, startServer } from '../../mutants/reference/server.ts';
import { jsonFile } from '../support/files.ts';
import { runCommand } from '../support/run-command.ts';

const limits = { rate: 1e6, burst: 1e6 };

async function targetFile(options: ServerOptions = {}) {
  const server = await startServer(options);
  onTestFinished(() => server.close());
  const { baseUrl, target } = server;
  return jsonFile({ baseUrl, ...target, limits });
}

function compared(a: string, b: string, ...args: string[]) {
  const command = ['check', 'explore', '--target', a, '--against', b, '--seed', '1'];
  return runCommand([...command, ...args]);
}

async function comparison(a: string, b: string) {
  const { code, stdout } = await compared(a, b, '--consume', '--budget', '400', '--json');
  return { code, ...JSON.parse(stdout) };
}

test('two right servers are alike', async () => {
  const result = await comparison(await targetFile(), await targetFile());
  expect(result).toMatchObject({ code: 0, verdict: 'alike', differences: [], faults: [] });
});

test('a stated difference is exit 1, and the wrong server is named', async () => {
  const other = await targetFile({ alter: () => ({ register: () => undefined }) });
  const { code, verdict, differences, faults } = await comparison(await targetFile(), other);
  expect(code).toBe(1);
  expect(verdict).toBe('differ');
  expect(differences[0].level).toBe('stated');
  expect(faults.map(({ server }: { server: string }) => server)).toEqual(['b']);
});

test('what not both targets have is not compared, and is named; without a common key it is a usage error', async () => {
  const { baseUrl, target, close } = await startServer();
  onTestFinished(close);
  const { rest, hardware } = target.keys;
  const { single } = target.tickets;
  const soft = jsonFile({ baseUrl, keys: { rest }, tickets: { single }, limits });
  const doors = jsonFile({ baseUrl, keys: { hardware }, tickets: { single }, limits });
  const { code, notes } = await comparison(await targetFile(), soft);
  expect(code).toBe(0);
  expect(notes.join()).toMatch(/such a key: restScoped, hardware.*such a ticket: multi/);
  const refused = await compared(soft, doors);
  expect(refused.stderr).toContain('both need a key "rest", or both a key "hardware"');
  expect(refused.code).toBe(2);
});

test('the one of the two that cannot be reached is named', async () => {
  const { baseUrl, target, close } = await startServer();
  await close();
  const gone = jsonFile({ baseUrl, ...target });
  const { code, stderr } = await compared(await targetFile(), gone);
  expect(stderr).toContain(`${baseUrl} cannot be explored`);
  expect(code).toBe(3);
});

test('the difference is told in words', async () => {
  const other = await targetFile({ alter: device((body) => ({ ...body, ActIndex: '1' })) });
  const { stdout } = await compared(await targetFile(), other, '--budget', '200');
  expect(stdout).toMatch(
    /^unstated: ActIndex differs in \d+ kinds of request, \d+ times\. First: A device validates A \(/m,
  );
  expect(stdout.match(/ActIndex/g)).toHaveLength(1);
  expect(stdout).toContain('  A: "0"\n  B: "1"\n');
});

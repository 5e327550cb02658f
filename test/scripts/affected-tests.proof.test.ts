import { expect, test } from 'vitest';
import { affectedTests } from '../../scripts/affected-tests.ts';
import { importGraph } from '../../scripts/import-graph.ts';

const filesOf = (...changed: string[]) => affectedTests(changed).map(({ file }) => file);

test('a command affects the tests that call it and those that run whatever a page says, and no other command', () => {
  const found = filesOf('src/features/webhooks/commands.ts');
  expect(found).toEqual(expect.arrayContaining(['test/docs/docs.test.ts']));
  expect(found).not.toContain('test/cli/signing-keys.test.ts');
  expect(filesOf('src/features/signing-keys/commands.ts')).toContain(
    'test/cli/signing-keys.test.ts',
  );
});

test('an operation affects the tests that ask for its path, itself or with a helper, and those of every route', () => {
  const found = filesOf('src/features/webhooks/operations.ts');
  expect(found).toEqual(
    expect.arrayContaining([
      'test/webhooks/manage.proof.test.ts',
      'test/admin/every-route.test.ts',
    ]),
  );
  expect(found).not.toContain('test/http/hardware.test.ts');
});

test('what every server does affects the tests of every server', () => {
  const found = filesOf('src/serve/admin-api.ts');
  expect(found).toEqual(
    expect.arrayContaining(['test/http/hardware.test.ts', 'test/admin/keys.test.ts']),
  );
});

test('a page that a test reads affects it', () => {
  expect(filesOf('docs/commands.md')).toContain('test/docs/docs.test.ts');
});

test('an import of types alone carries no behaviour', () => {
  const importedBy = (file: string, withTypes: boolean) =>
    importGraph(['src/features'], { withTypes }).get(file);
  const all = 'src/features/all.ts';
  expect(importedBy(all, true)).toContain('src/operations/operation.ts');
  expect(importedBy(all, false)).not.toContain('src/operations/operation.ts');
  expect(importedBy(all, false)).toContain('src/features/keys/operations.ts');
});

test('the nearest come first, and of these the ones that start no process', () => {
  const ranks = affectedTests(['src/features/tickets/commands/tickets.ts']).map(
    ({ steps, startsProcess }) => steps * 2 + Number(startsProcess),
  );
  expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
  expect(ranks[0]).toBe(2);
});

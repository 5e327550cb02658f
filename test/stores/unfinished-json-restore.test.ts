import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TestStore } from '../support/stores.ts';

test('the log of a restore that was killed before its document was ready is removed', async () => {
  await using store = await TestStore.open('json');
  await store.store.close();
  const left = `${store.url.replace('json:', '')}.restored.log`;
  writeFileSync(left, '');
  await store.reopen();

  expect(existsSync(left)).toBe(false);
});

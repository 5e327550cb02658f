import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { JobThread } from '../../../src/tickets/job-thread.ts';
import { readWorkbook } from '../../../src/tickets/lists/workbook.ts';
import { workbookOf } from '../../support/workbooks.ts';

const LONG_MS = 24 * 60 * 60_000;

/** Work for some seconds: many short cells. */
function manyCells() {
  const row = Array.from({ length: 20 }, () => 'x');
  return workbookOf([{ rows: [['Vorname'], ...Array.from({ length: 20_000 }, () => row)] }]);
}

const chunks = async function* (bytes: Buffer) {
  yield bytes;
};

describe('the bounds of a workbook', () => {
  const few = workbookOf([{ rows: [['Vorname'], ['Ada']] }]);

  test('what takes too much work is too large, however long it may wait', async () => {
    const bounds = { processorMs: 1, waitMs: LONG_MS, checkEveryMs: 20 };
    await expect(readWorkbook(chunks(manyCells()), undefined, bounds)).rejects.toMatchObject({
      code: 'usage',
      reason: 'list_workbook_too_large',
    });
  });

  test('what has to wait for other work is not called too large', async () => {
    const bounds = { processorMs: LONG_MS, waitMs: 1, checkEveryMs: 20 };
    await expect(readWorkbook(chunks(manyCells()), undefined, bounds)).rejects.toMatchObject({
      code: 'busy',
      reason: 'list_workbook_late',
    });
  });

  test('a thread that waits uses none of its bound', async () => {
    const thread = new JobThread('workbook');
    expect(await thread.processorMs()).toBe(0);
    await thread.run({ bytes: few });
    const before = await thread.processorMs();
    expect(before).toBeGreaterThan(1);
    await wait(1000);
    expect((await thread.processorMs()) - before).toBeLessThan(500);
    await thread.close();
    expect(await thread.processorMs()).toBe(0);
  });

  test('one that is refused leaves the next its turn', async () => {
    const bounds = { processorMs: 1, waitMs: LONG_MS, checkEveryMs: 20 };
    const first = readWorkbook(chunks(manyCells()), undefined, bounds);
    const next = readWorkbook(chunks(few));
    await expect(first).rejects.toThrow();
    expect((await next).csv).toBe('"Vorname"\n"Ada"\n');
  });
});

import { expect, test } from 'vitest';
import type { Observation } from '../../../src/check/explore/observation.ts';
import { ScanTimes } from '../../../src/check/explore/scan-times.ts';

function consumed(startedAt: number): Observation {
  const json = { scannedAt: '2026-11-21T09:00:00.000Z' };
  return {
    step: { endpoint: 'consume', key: 'rest', times: 1 },
    request: { path: '/scan/consume' },
    startedAt,
    endedAt: startedAt + 1,
    wallEndedAt: 0,
    answer: { status: 200, headers: {}, body: '', json, cut: false },
    outcome: 'granted',
    mayBeReset: false,
  };
}

test('the time of an earlier scan is seen, but for times that are shown in whole seconds', () => {
  expect(new ScanTimes().judge([consumed(0), consumed(1000)])).toBe(undefined);
  expect(new ScanTimes().judge([consumed(0), consumed(1200)])?.rule).toBe('time-repeated');
});

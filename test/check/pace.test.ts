import { expect, test } from 'vitest';
import { Pace } from '../../src/check/pace/pace.ts';
import { fc } from '../support/fast-check.ts';

test('however requests are asked for, no second sees more than allowed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 30 }),
      fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 40 }),
      async (perSecond, groups) => {
        let time = 0;
        const clock = {
          now: () => time,
          sleep: async (ms: number) => {
            time += ms;
          },
        };
        const pace = new Pace(perSecond, clock);
        const sent: number[] = [];
        for (const wanted of groups) {
          const count = Math.min(wanted, perSecond);
          await pace.wait(count);
          for (let i = 0; i < count; i += 1) sent.push(time);
        }
        for (const start of sent) {
          const inWindow = sent.filter((at) => at >= start && at < start + 1000);
          expect(inWindow.length).toBeLessThanOrEqual(perSecond);
        }
      },
    ),
  );
});

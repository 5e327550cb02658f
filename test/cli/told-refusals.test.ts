import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/config/system-clock.ts';
import { type EdgeReason, REFUSAL_REASONS } from '../../src/core/outcome-names.ts';
import { refusalAdvice } from '../../src/core/refusals/advice.ts';
import { RefusalCounter } from '../../src/scan/refusal-counter.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { InProcess } from '../support/in-process.ts';

test('what was refused below HTTP, and what to do, is in log --refused and doctor', async () => {
  const folder = new InProcess();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  await folder.run('events create --name Pool');
  const store = await openStore(`sqlite:${folder.path}/ticketscan.db`);
  const counter = new RefusalCounter({ store, clock: systemClock, onFailure: () => undefined });
  const reasons: EdgeReason[] = ['tls_certificate', 'line_end', 'unknown_path'];
  for (const reason of reasons) counter.count({ reason, address: '192.0.2.7', endpoint: '' });
  await counter.flush();
  await store.close();

  const log = await folder.run('log --refused');
  const doctor = await folder.run('doctor');

  for (const reason of reasons) {
    for (const { out } of [log, doctor]) {
      expect(out).toContain(REFUSAL_REASONS[reason]);
      expect(out).toContain('192.0.2.7');
    }
    expect(log.out).toContain(refusalAdvice(reason));
    expect(doctor.out.replace(/\s+/g, ' ')).toContain(refusalAdvice(reason));
  }
});

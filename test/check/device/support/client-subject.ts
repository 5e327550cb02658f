import type { Subject } from '../../../../src/check/index.ts';
import { ScanClient, type ScanClientOptions, ScanError } from '../../../../src/client/index.ts';

type Patience = Pick<ScanClientOptions, 'timeoutMs' | 'totalTimeoutMs'>;

/** A gate on the library's client as the subject of a check, in this process. */
export function clientSubject(patience: Patience): Subject {
  let gate: { client: ScanClient; tell: Parameters<Subject['start']>[1] } | undefined;
  return {
    tells: ['door', 'display'],
    async start({ baseUrl, key }, tell) {
      gate = { client: new ScanClient({ baseUrl, apiKey: key, ...patience }), tell };
    },
    async present(code) {
      try {
        const result = await gate?.client.consume(code);
        gate?.tell({ display: { note: result?.message ?? '' } });
        if (result?.valid) gate?.tell({ door: 'open' });
      } catch (error) {
        if (!(error instanceof ScanError)) throw error;
        gate?.tell({ display: { note: error.message } });
      }
    },
    async close() {
      await gate?.client.close();
    },
  };
}

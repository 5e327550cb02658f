import { expect, test } from 'vitest';
import { isDocumented } from './support/answers.ts';
import { RawConnection } from './support/raw-connection.ts';
import { type Reading, WireService } from './support/wire-service.ts';
import { CARD, GOOD, send } from './wire/row.ts';

const REQUEST = send('consume', GOOD);
const CHUNKED = `${REQUEST.slice(0, -GOOD.length).replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')}${GOOD.length.toString(16)}\r\n${GOOD}\r\n0\r\n\r\n`;
const DEVICE = send('hw-consume', `{"Card":"${CARD}"}`);

/** Beginnings of a request, up to the last byte but one. */
const cuts = (whole: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) =>
    whole.slice(0, 1 + Math.floor(((whole.length - 2) * at) / (count - 1))),
  );

test.each<Reading>(['plain', 'node'])(
  'requests that stop anywhere are given up in time and take no use; others are served meanwhile: %s',
  async (reads) => {
    await using service = await WireService.start({ reads, timeoutMs: 300 });
    const before = await service.state();
    const software = ['', ...cuts(REQUEST, 30), ...cuts(CHUNKED, 30)];
    const device = cuts(DEVICE, 40).filter((text) => text.includes('\r\n'));
    const unfinished = [...software, ...device].map(async (text) => {
      const connection = await RawConnection.open(service.port);
      const answer = await connection.patientExchange(Buffer.from(text, 'latin1'));
      connection.close();
      const expected = text.includes('/hw/') ? ['hw_timeout'] : ['http_timeout', 'closed'];
      return expected.some((name) => isDocumented(name, answer))
        ? []
        : [`${text}: ${answer?.status}`];
    });
    const healthy = await fetch(`${service.url}/healthz`);

    expect(healthy.status).toBe(200);
    expect((await Promise.all(unfinished)).flat()).toEqual([]);
    expect(await service.state()).toBe(before);
    expect(await service.store.readLog({ limit: 1 })).toEqual([]);
  },
);

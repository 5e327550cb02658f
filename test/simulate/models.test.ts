import { describe, expect, test } from 'vitest';
import { loadDeviceFiles } from '../../src/device-files/load.ts';
import { modelFromFile } from '../../src/simulate/models/file-model.ts';
import { modelNamed } from '../../src/simulate/models/models.ts';

const read = (model: string, body: unknown, status = 200) =>
  modelNamed(model).readCardAnswer({
    status,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('the access controller', () => {
  const answer = { AcsRes: '1', ActIndex: '0', Time: '5', Name: 'A', Note: 'B' };

  test('understands the documented answer and finds nothing to remark', () => {
    expect(read('access-controller', answer)).toEqual({
      granted: true,
      relay: 'IN',
      openSeconds: 5,
      name: 'A',
      note: 'B',
      deviations: [],
    });
  });

  test('Name is absent in a denial, and that is no deviation', () => {
    const denial = { AcsRes: '0', ActIndex: '0', Time: '0', Note: 'Nein' };
    expect(read('access-controller', denial).deviations).toEqual([]);
  });

  test.each([
    [{ ...answer, Time: 5 }, 'Time is not a string'],
    [{ ...answer, ActIndex: '2' }, 'ActIndex is neither "0" nor "1"'],
    [{ ...answer, Note: undefined }, 'Note is missing'],
    [{ ...answer, Name: 'x'.repeat(17) }, 'Name is longer than 16 bytes'],
    [{ ...answer, Note: 'ü'.repeat(17) }, 'Note is longer than 32 bytes'],
    [{ ...answer, Time: 'soon' }, 'Time is not a number of seconds'],
  ])('remarks what is not as documented: %j', (body, deviation) => {
    expect(read('access-controller', body)).toMatchObject({
      granted: true,
      deviations: [deviation],
    });
  });
});

describe('the intercom panel', () => {
  test('opens the lock that it is told', () => {
    const body = { handled: true, access: { granted: true, lock_number: 2 } };
    expect(read('bas-ip', body)).toMatchObject({ granted: true, relay: 'LOCK2', deviations: [] });
  });

  test('does not take handled false for a decision', () => {
    const body = { handled: false, access: { granted: true } };
    expect(read('bas-ip', body)).toMatchObject({ granted: undefined });
  });
});

describe('the reader', () => {
  test.each([
    ['code=0000', true],
    ['code=0001', false],
    ['code=0000&&desc=ok', true],
    ['granted', undefined],
    ['', undefined],
  ])('takes %j for %j', (body, granted) => {
    expect(read('vguang', body).granted).toBe(granted);
  });
});

test('an unknown model is refused with the names of those that exist', () => {
  expect(() => modelNamed('turnstile')).toThrow(/access-controller, bas-ip, vguang/);
});

describe('the example device files', () => {
  const models = ['old-controller', 'bare-reader'].flatMap((name) =>
    loadDeviceFiles(`examples/device-files/${name}.yaml`).map(modelFromFile),
  );
  const facts = { serial: 'SIM00001', reader: 1, index: 7, clockMs: 0 };

  test('send what a device with other firmware sends', () => {
    const sent = models.map((model) => model.cardBody('TS1.tkt_a>>>?ü', facts));
    expect(sent).toEqual([
      {
        contentType: 'text/plain',
        body: '{"Card":"VFMxLnRrdF9hPj4-P8O8","Serial":"SIM00001","Reader":"1"}',
      },
      { contentType: 'text/plain', body: 'TS1.tkt_a>>>?ü' },
    ]);
  });

  test('read the answers of the known models', () => {
    const [controller, reader] = models;
    const body = '{"AcsRes":"1","ActIndex":"0","Time":"5","Note":"Ja"}';
    const read = controller?.readCardAnswer({ status: 200, body });
    expect(read).toMatchObject({ granted: true, openSeconds: 5, note: 'Ja' });
    expect(reader?.readCardAnswer({ status: 200, body: 'code=0001' }).granted).toBe(false);
  });

  test('the controller looks at no body but that of a 200', () => {
    const body = '{"AcsRes":"0","ActIndex":"0","Time":"0","Note":"Kein Zugriff"}';
    expect(models[0]?.readCardAnswer({ status: 403, body }).granted).toBeUndefined();
  });
});

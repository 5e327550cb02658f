import { expect, test } from 'vitest';
import { ANY_DEVICE, Serials } from '../../src/check/requests/scan-request.ts';

const read = (Card: string, Serial = ANY_DEVICE, path = '/scan/hw/consume') => ({
  path,
  body: JSON.stringify({ Card, Serial, Reader: 0 }),
});

test('a card that comes again is read by another device, unless the case names the device', () => {
  const serials = new Serials();
  const specs = [
    read('a'),
    read('a'),
    read('b'),
    read('a'),
    read('a', 'S-1'),
    read('a', ANY_DEVICE, '/scan/hw/validate'),
  ];
  const sent = specs.map((spec) => JSON.parse(String(serials.ownSerial(spec).body)).Serial);
  expect(sent).toEqual(['CHECK-0001', 'CHECK-0002', 'CHECK-0001', 'CHECK-0003', 'S-1', ANY_DEVICE]);
});

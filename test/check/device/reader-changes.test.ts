import { expect, test } from 'vitest';
import { changeOf } from '../../../src/check/device/cases/sent-values.ts';

const CODE = 'TS1.tkt_zy12qm_yzqwm0123456789abcde.aB-d_f0123456789ABCDEF';

const OTHER = 'TS1.tkt_zy12qm_abcde0123456789yzqwm.0123456789ABCDEFaB-d_f';

function typed(text: string, meant: string, arrived: string): string {
  const to = [...arrived];
  return [...text].map((sign) => to[[...meant].indexOf(sign)] ?? sign).join('');
}

test.each([
  [typed(CODE, 'zy_-', 'yz?ß'), /y and z are swapped|keyboard layout/u],
  [typed(CODE, '1234567890aqwzAQWZm.M-_', '&é"\'(-è_çàqazwQAZW,:?)°'), /keyboard layout/u],
  [CODE.toUpperCase(), /Capitals/u],
  [`]Q1${CODE}`, /stands before/u],
  [`${CODE}${CODE}`, /sent twice/u],
  [`https://x.example/${CODE}?a`, /address/u],
  [Buffer.from(CODE).toString('base64'), /Base64/u],
  [[...CODE].join('\0'), /invisible/u],
  [`${CODE}|2026-11-29 06:30`, /stands behind/u],
  [`2026-11-29 06:30 ${CODE} ok`, /The reader changed it: with a prefix, with a suffix\./u],
  [`${CODE}${OTHER}`, /Two codes were sent as one/u],
  [`${OTHER}\r\n${CODE}`, /Two codes were sent as one/u],
  [typed(`${CODE}${OTHER}`, 'zy_-', 'yz?ß'), /keyboard layout, together with another code/u],
  [typed(CODE, 'yz0_-', 'zyöÜü'), /keyboard layout/u],
  [typed(CODE, 'yz1234567890_-', 'zy+ěščřžýáíé%='), /keyboard layout/u],
  [typed(CODE, 'i._-', 'ıç?*'), /keyboard layout/u],
  [CODE.slice(4, -5), /Only a part of the code/u],
])('check device names what a reader did to a code: %j', (sent, words) => {
  expect(changeOf(CODE, sent)).toMatch(words);
});

test('another code is no change', () => {
  expect(changeOf(CODE, CODE.replaceAll(/[0-9]/gu, 'x'))).not.toMatch(/The reader changed/u);
  expect(changeOf(CODE, 'something else')).toBeUndefined();
});

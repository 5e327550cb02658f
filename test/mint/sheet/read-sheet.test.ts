import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findCodes } from '../../../src/tickets/reading/find-codes.ts';
import { loadPictures } from '../../../src/tickets/reading/load-pictures.ts';

/** A part of a page that mint printed: among six codes, the corner of one is also read as the Micro QR code "8". */
const PAGE = join(import.meta.dirname, 'corner-like-micro-qr.png');

test('a corner of a code that looks like a Micro QR code is no code of its own', async () => {
  for await (const { picture } of loadPictures(PAGE)) {
    const found = await findCodes(picture);

    expect(found.map(({ text }) => text.slice(0, 16))).toEqual([
      'TS1.tkt_dkbhyt_6',
      'TS1.tkt_dkbhyt_s',
      'TS1.tkt_dkbhyt_0',
      'TS1.tkt_dkbhyt_e',
      'TS1.tkt_dkbhyt_k',
      'TS1.tkt_dkbhyt_t',
    ]);
  }
});

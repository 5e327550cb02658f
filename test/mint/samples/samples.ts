import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderQr } from '../../../src/index.ts';
import { layoutNamed } from '../../../src/tickets/sheets/layouts.ts';
import type { PrintedTicket } from '../../../src/tickets/sheets/printed-ticket.ts';
import { loadFonts } from '../../../src/tickets/sheets/text.ts';
import { writeSheet } from '../../../src/tickets/sheets/write-sheet.ts';
import { type Scene, toJpeg, toPng, toSvg } from './draw.ts';
import { CODES, idOf, TS1_KEY, TS2_KEY } from './world.ts';

/** What `decode --json` must say of one code, or of a file without one. */
export interface Expected {
  readonly page: number | null;
  readonly code: string | null;
  readonly ticketId: string | null;
  readonly verified: boolean;
  readonly format: string | null;
  readonly signingKey: string | null;
  readonly problem: string | null;
}

export interface Sample {
  readonly file: string;
  /** What it is, for people. */
  readonly shows: string;
  readonly decoded: readonly Expected[];
  readonly draw: () => Promise<Buffer | string>;
}

const png =
  (scene: Omit<Scene, 'codes'>, ...codes: string[]) =>
  () =>
    toPng({ ...scene, codes });

/** A code with the key that made it; without one it is not genuine. */
function read(
  code: string,
  signingKey: string | null = null,
  page: number | null = null,
): Expected {
  const [, format = null, ticketId = null] =
    /^(TS[12])\.(tkt_[a-z0-9]+_[a-z0-9]+)\./.exec(code) ?? [];
  const verified = signingKey !== null;
  return { page, code, ticketId, verified, format, signingKey, problem: null };
}

function nothing(problem = 'no QR code found'): Expected {
  const none = { code: null, ticketId: null, format: null, signingKey: null };
  return { page: null, ...none, verified: false, problem };
}

const genuine = read(CODES.genuine, TS1_KEY);
const good = (file: string, shows: string, draw: Sample['draw']): Sample => ({
  file,
  shows,
  decoded: [genuine],
  draw,
});
const bad = (file: string, shows: string, code: string): Sample => ({
  file,
  shows,
  decoded: [read(code)],
  draw: png({}, code),
});
const SPOT = '<circle cx="130" cy="120" r="20" fill="#fff"/>';

export const SAMPLES: readonly Sample[] = [
  good('genuine.png', 'a genuine TS1 ticket', png({}, CODES.genuine)),
  good('genuine.svg', 'the same as SVG', async () => toSvg({ codes: [CODES.genuine] })),
  good('genuine.txt', 'the same, drawn in characters', async () =>
    renderQr(CODES.genuine, { format: 'text' }),
  ),
  good('photo.jpg', 'the same as a photo: turned, grey, of low quality', () =>
    toJpeg({ codes: [CODES.genuine], turn: 8, dark: '#333', light: '#ddd', background: '#999' }),
  ),
  good('rotated.png', 'the same, turned by 30 degrees', png({ turn: 30 }, CODES.genuine)),
  good(
    'inverted.png',
    'the same, light on dark; many readers at gates cannot read that',
    png({ dark: '#ffffff', light: '#000000' }, CODES.genuine),
  ),
  good(
    'low-contrast.png',
    'the same, dark grey on grey',
    png({ dark: '#777777', light: '#aaaaaa' }, CODES.genuine),
  ),
  good(
    'damaged.png',
    'the same with a spot, and enough error correction for it',
    png({ over: SPOT, errorCorrection: 'H' }, CODES.genuine),
  ),
  {
    file: 'offline.png',
    shows: 'a genuine TS2 ticket, which the public key verifies as well',
    decoded: [read(CODES.offline, TS2_KEY)],
    draw: png({}, CODES.offline),
  },
  {
    file: 'sheet.pdf',
    shows: 'three genuine tickets on a page',
    decoded: [CODES.genuine, CODES.second, CODES.third].map((code) => read(code, TS1_KEY, 1)),
    draw: drawSheet,
  },
  {
    file: 'two-codes.png',
    shows: 'a genuine ticket, and to its right one with an altered signature',
    decoded: [genuine, read(CODES.alteredSignature)],
    draw: png({}, CODES.genuine, CODES.alteredSignature),
  },
  bad('other-prefix.png', 'prefix TS3, which does not exist', CODES.otherPrefix),
  bad('altered-signature.png', 'one letter of the signature changed', CODES.alteredSignature),
  bad('altered-ticket.png', 'one letter of the identifier changed', CODES.alteredTicket),
  bad('altered-offline.png', 'the same of a TS2 ticket', CODES.alteredOffline),
  bad('cut-code.png', 'the last six letters are missing', CODES.cut),
  bad('upper-case.png', 'in capital letters', CODES.upperCase),
  bad('unknown-key.png', 'signed with a key that the keyring does not have', CODES.unknownKey),
  bad('retired-key.png', 'signed with a key that the keyring has retired', CODES.retiredKey),
  bad('web-address.png', 'a code, but not of a ticket', CODES.webAddress),
  {
    file: 'destroyed.png',
    shows: 'a ticket of which half is covered',
    decoded: [nothing()],
    draw: png({ over: '<rect width="110" height="220" fill="#fff"/>' }, CODES.genuine),
  },
  {
    file: 'no-code.png',
    shows: 'a picture without a code',
    decoded: [nothing()],
    draw: png({ over: SPOT.replace('#fff', '#000') }),
  },
  {
    file: 'cut-file.png',
    shows: 'the first half of a PNG',
    decoded: [nothing('is a damaged PNG: its data cannot be unpacked; it may be incomplete.')],
    draw: async () => {
      const whole = await toPng({ codes: [CODES.genuine] });
      return whole.subarray(0, whole.length / 2);
    },
  },
  {
    file: 'text.png',
    shows: 'a text in a file that is named like a picture',
    decoded: [nothing('is not a PNG, JPEG, WebP, SVG or PDF, and not a code drawn in characters.')],
    draw: async () => 'This is not a picture.\n',
  },
];

async function drawSheet(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-sample-'));
  const file = join(folder, 'sheet.pdf');
  const tickets = (['genuine', 'second', 'third'] as const).map(
    (name): PrintedTicket => ({
      id: idOf(name),
      eventId: 'sample1',
      eventName: 'Sample',
      createdAt: 0,
      ticketType: 'single',
      usesAllowed: 1,
      holder: null,
      validFrom: null,
      validUntil: null,
      code: CODES[name],
    }),
  );
  await writeSheet(createWriteStream(file), tickets, {
    layout: layoutNamed('a4'),
    fonts: await loadFonts([]),
    timeZone: 'UTC',
    language: 'en',
    lines: [],
    title: 'Sample tickets',
  });
  const bytes = readFileSync(file);
  rmSync(folder, { recursive: true });
  return bytes;
}

import { createHash, createSecretKey, generateKeyPairSync } from 'node:crypto';
import type { TicketTerms } from '../../../src/core/ticket.ts';
import type { Keyring } from '../../../src/core/ticket-code.ts';
import type { TicketRun } from '../../../src/tickets/making/ticket-run.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 21);

const FIRST = [
  'Ada',
  'Ελένη',
  'Γιώργος',
  'Şükrü',
  'İpek',
  'أحمد',
  'فاطمة',
  'Zoë 😀',
  '👩‍👩‍👧',
  'דוד',
  '',
];
const LAST = [
  'Lovelace',
  'Παπαδοπούλου',
  'Öztürk-Ğ',
  'ıŞIK',
  'بن عبد العزيز',
  'O’Neill',
  '🎟️🎟️',
  '小明',
  '"; DROP',
  '',
];

/** Numbers that the same seed repeats, from 0 up to and without `below`. */
function randomNumbers(seed: string): (below: number) => number {
  let counter = 0;
  return (below) => {
    counter += 1;
    return createHash('sha256').update(`${seed}/${counter}`).digest().readUInt32BE(0) % below;
  };
}

/** A keyring for tests with one active key of each format. */
function testKeyring(): Keyring {
  const secret = createSecretKey(Buffer.alloc(32, 7));
  const pair = generateKeyPairSync('ed25519');
  return [
    { id: 'sig_one', format: 'TS1', state: 'active', signingKey: secret, verifyingKey: secret },
    {
      id: 'sig_two',
      format: 'TS2',
      state: 'active',
      signingKey: pair.privateKey,
      verifyingKey: pair.publicKey,
    },
  ];
}

/** A run of tickets of all types, with and without windows, and with names in many scripts. */
export function randomRun(seed: string, count: number, codeFormat: 'TS1' | 'TS2'): TicketRun {
  const random = randomNumbers(seed);
  const specs = Array.from({ length: count }, () => randomSpec(random));
  return {
    event: { id: 'abc123', name: 'Ανοιξιάτικο φεστιβάλ – İlkbahar – ربيع' },
    seed: createHash('sha256').update(seed).digest(),
    count,
    createdAt: START,
    keyring: testKeyring(),
    codeFormat,
    specAt: (index) => specs[index] ?? randomSpec(random),
  };
}

function randomSpec(random: (below: number) => number): TicketTerms {
  const kind = random(3);
  const firstName = FIRST[random(FIRST.length)] ?? '';
  const lastName = LAST[random(LAST.length)] ?? '';
  const validFrom = random(2) === 0 ? null : START + random(30) * DAY_MS;
  return {
    ticketType: kind === 0 ? 'single' : 'multi',
    usesAllowed: [1, 2 + random(99), 9999][kind] ?? 1,
    holder: firstName === '' && lastName === '' ? null : { firstName, lastName },
    validFrom,
    validUntil: random(2) === 0 ? null : (validFrom ?? START) + (1 + random(300)) * DAY_MS,
  };
}

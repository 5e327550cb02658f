import { expect, test } from 'vitest';
import { KEY_CHOICE_NAMES } from '../../src/core/key-settings.ts';
import { TICKET_FIELD_NAMES } from '../../src/core/ticket-fields.ts';
import { detailsText, sentenceOf } from '../../src/dashboard/components/audit-texts.ts';
import { DESK_TEXTS as TEXTS } from '../../src/dashboard/i18n/desk-texts.ts';

function inWords(language: 'en' | 'de', details: Readonly<Record<string, unknown>>): string {
  const formats = {
    dateTime: (iso: string) => `<${iso.slice(0, 10)}>`,
    number: (value: number) => value.toLocaleString(language),
  };
  return detailsText(details, TEXTS[language], formats);
}

test.each([
  [
    {
      before: { holder: 'erased', validUntil: null },
      after: { validUntil: '2027-10-01T21:59:59.999Z' },
    },
    'vorher: (Inhaber: entfernt, Gültig bis: –), jetzt: (Gültig bis: <2027-10-01>)',
    'before: (Holder: removed, Valid until: –), now: (Valid until: <2027-10-01>)',
  ],
  [{ expiresAt: '2027-10-01T00:00:00.000Z' }, 'Läuft ab: <2027-10-01>', 'Expires: <2027-10-01>'],
  [{ quotaPerMonth: 1500000 }, 'Anfragen je Monat: 1.500.000', 'Requests per month: 1,500,000'],
  [
    { events: ['scan.granted', 'device.offline'] },
    'Ereignisse: Eingelassen; Gerät offline',
    'Events: Admitted; Device offline',
  ],
  [
    { before: { note: 'erased', reference: 'in' }, after: { attention: true, note: null } },
    'vorher: (Notiz: entfernt, Referenz: in), jetzt: (Achtung: ja, Notiz: –)',
    'before: (Note: removed, Reference: in), now: (Attention: yes, Note: –)',
  ],
  [
    { nameOnDisplay: 'kind', onExit: 'consume' },
    'Auf der Anzeige: Was das Ticket ist, Beim Hinausgehen: Nutzung verbrauchen',
    'On the display: What the ticket is, On the way out: Take a use',
  ],
  [
    { events: ['ev1234', 'all'], relay: 'auto', language: 'de' },
    'Veranstaltungen: ev1234; alle, Relais bei Einlass: nach dem Lesegerät, Sprache: Deutsch',
    'Events: ev1234; all, Relay on a grant: by the reader, Language: German',
  ],
  [{ name: 'in', active: true }, 'Name: in, Aktiv: ja', 'Name: in, Active: yes'],
  [{ from: 'all', to: 'open' }, 'vorher: all, jetzt: open', 'before: all, now: open'],
])('the audit log says %j in words', (details, german, english) => {
  expect(inWords('de', details)).toBe(german);
  expect(inWords('en', details)).toBe(english);
});

test('what was done is a sentence in both languages, with a name in it and without', () => {
  for (const language of ['en', 'de'] as const) {
    for (const [act, words] of Object.entries(TEXTS[language].acts)) {
      const { before, after } = sentenceOf(words, true);
      expect(`${before}NAME${after}`, act).toMatch(/^\p{Lu}[^{}]* ?NAME(?: [^{}]+)?$/u);
      const alone = sentenceOf(words, false);
      expect(`${alone.before}${alone.after}`, act).toMatch(/^\p{Lu}[^{}]+\S$/u);
    }
  }
  const inGerman = (act: string, subject: string) => {
    const { before, after } = sentenceOf(TEXTS.de.acts[act] ?? act, subject !== '');
    return `${before}${subject}${after}`;
  };
  expect(inGerman('session.start', 'owner')).toBe('Als owner angemeldet');
  expect(inGerman('ticket.create', 'Kurse')).toBe('Tickets für Kurse angelegt');
  expect(inGerman('ticket.cancel.many', '')).toBe('Tickets storniert');
  expect(inGerman('organisation.rename', 'Bad')).toBe('Name geändert: Bad');
});

test('each field of a ticket and each setting of a key has its own word in the audit log', () => {
  for (const name of [...TICKET_FIELD_NAMES, ...KEY_CHOICE_NAMES]) {
    expect(inWords('de', { [name]: 'x' }), name).not.toContain(name);
    expect(inWords('en', { [name]: 'x' }), name).toMatch(/^\p{Lu}/u);
  }
});

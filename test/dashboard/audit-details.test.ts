import { expect, test } from 'vitest';
import { DESK_TEXTS as TEXTS } from '../../src/dashboard/i18n/desk-texts.ts';
import { detailsText, sentenceOf } from '../../src/dashboard/pages/log.tsx';

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
    { events: ['scan.granted', 'all'], relay: 'auto', language: 'de' },
    'Veranstaltungen: Eingelassen; alle, Relais: nach dem Lesegerät, Sprache: Deutsch',
    'Events: Admitted; all, Relay: by the reader, Language: German',
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

import { changesAround, type ReaderChange, readingsOf } from '../kit/reader-texts.ts';
import { type Keyring, verifyTicketCode } from './ticket-code.ts';

/**
 * What readers do to codes: another keyboard layout, caps lock, a prefix, a suffix, the code twice, in a URL, in Base64, cut.
 *
 * This never decides a scan: a code is compared as it is, letter for letter. It only tells people, after a code was refused as forged or
 * damaged, that the ticket is genuine and what to set at the reader.
 */
const CODE =
  /TS1\.tkt_[a-z0-9]{6,10}_[a-z0-9]{20,40}\.[A-Za-z0-9_-]{22}|TS2\.tkt_[a-z0-9]{6,10}_[a-z0-9]{20,40}\.[A-Za-z0-9_-]{86}/g;
/** How every code begins. */
const BEGINNING = /TS[12]\.tkt_/;
const CUT =
  /^TS(?:1\.tkt_[a-z0-9]*(?:_[a-z0-9]*(?:\.[A-Za-z0-9_-]{0,21})?)?|2\.tkt_[a-z0-9]*(?:_[a-z0-9]*(?:\.[A-Za-z0-9_-]{0,85})?)?)$/;

/** Changes that are seen only by comparing with the form of a code. */
type OwnChange = 'lost' | 'cut' | 'cutBefore' | 'lines';

/** What a text held that is no code itself. */
export interface ReaderFinding {
  /** Whether there is a genuine code in it; otherwise something that began as one, and whose rest is lost or was changed. */
  readonly isGenuine: boolean;
  readonly changes: readonly (ReaderChange | OwnChange)[];
}

/** What a reader did to a code that was refused; undefined when nothing is known of it. @param text as it arrived, whole */
export function readerFinding(text: string, keyring: Keyring): ReaderFinding | undefined {
  if (CUT.test(text.trim())) return { isGenuine: false, changes: ['cut'] };
  return genuineInside(text, keyring) ?? completed(text.trim(), keyring) ?? changesSuspected(text);
}

const START = 'TS1.tkt_';
const WITHOUT_LINES = /TS([12])\.tkt([a-z0-9]{26,50})(\.[A-Za-z0-9_-]{22,86})/;
const EVENT_CHARACTERS = [6, 7, 8, 9, 10];

/** Finds a genuine code of which the beginning or the low lines are missing: the signature tells how it was. */
function completed(text: string, keyring: Keyring): ReaderFinding | undefined {
  const isGenuine = (code: string) => verifyTicketCode(code, keyring) !== undefined;
  for (let lost = 1; lost <= START.length; lost += 1) {
    const before = START.slice(0, lost);
    const starts = [before, before.replace('1', '2')];
    if (starts.some((start) => isGenuine(start + text)))
      return { isGenuine: true, changes: ['cutBefore'] };
  }
  const [, version, letters = '', signature] = WITHOUT_LINES.exec(text) ?? [];
  const codes = EVENT_CHARACTERS.map(
    (at) => `TS${version}.tkt_${letters.slice(0, at)}_${letters.slice(at)}${signature}`,
  );
  return codes.some(isGenuine) ? { isGenuine: true, changes: ['lines'] } : undefined;
}

/** Finds a genuine code in a text that a reader has changed, and says how it changed it; undefined when there is no genuine code in it. */
function genuineInside(text: string, keyring: Keyring): ReaderFinding | undefined {
  for (const reading of readingsOf(text)) {
    for (const [code] of reading.text.matchAll(CODE)) {
      if (!verifyTicketCode(code, keyring)) continue;
      const changes = [...reading.changes, ...changesAround(reading.text, code)];
      return changes.length > 0 ? { isGenuine: true, changes } : undefined;
    }
  }
  return undefined;
}

/**
 * What a reader seems to have done to a code of which only the beginning is known, or whose signature cannot be checked; undefined for
 * the beginning of a code, and for something else.
 * @param text ends with … where more followed
 */
export function changesSuspected(text: string): ReaderFinding | undefined {
  const beginning = text.replace(/…$/u, '');
  const isWhole = beginning === text;
  for (const reading of readingsOf(beginning)) {
    const found = BEGINNING.exec(reading.text);
    if (!found) continue;
    const changes = [...reading.changes, ...aroundSuspected(reading.text, found.index, isWhole)];
    return changes.length > 0 ? { isGenuine: false, changes } : undefined;
  }
  const changes = changesByForm(beginning, isWhole);
  return changes && { isGenuine: false, changes };
}

/** Names the changes around a text that has the form of a code, or begins like one. @param isWhole false if the text was cut */
function aroundSuspected(text: string, at: number, isWhole: boolean): ReaderFinding['changes'] {
  const [code] = isWhole ? (text.match(CODE) ?? []) : [];
  if (code !== undefined) return changesAround(text, code);
  const [beginning = ''] = BEGINNING.exec(text) ?? [];
  const changes = changesAround(text.slice(0, at) + beginning, beginning);
  return isWhole && CUT.test(text.slice(at).trim()) ? [...changes, 'cut'] : changes;
}

/** The rest of a code whose beginning is missing. */
const WITHOUT_BEGINNING =
  /^(?:(?:(?:(?:S?[12])?\.)?tkt|kt|t)_[a-z0-9]{6,10}_[a-z0-9]*|_?[a-z0-9]{1,10}_[a-z0-9]{20,40}(?=\.[\w-]{5}))(?:\.([\w-]{0,86}))?$/;
/** A person typed an identifier, or a part of it: a reader would have had more of the code. */
const TYPED = /^tkt_[^.]*$/;
const SIGNATURE_CHARACTERS: readonly number[] = [22, 86];
/** What stays of a code on most keyboards, whatever arrives for its other signs. */
const ON_A_KEYBOARD = /TS\S{2}tkt\S/iu;

function changesByForm(text: string, isWhole: boolean): ReaderFinding['changes'] | undefined {
  if (/TS[12]\.TKT_/iu.test(text)) return ['case', 'lost'];
  if (isWhole && TYPED.test(text.trim())) return undefined;
  const rest = WITHOUT_BEGINNING.exec(text.trim());
  if (rest) {
    const isCut = isWhole && !SIGNATURE_CHARACTERS.includes(rest[1]?.length ?? 0);
    return isCut ? ['cutBefore', 'cut'] : ['cutBefore'];
  }
  return ON_A_KEYBOARD.test(text) ? ['layout'] : undefined;
}

type Words = Readonly<Record<'en' | 'de', string>>;

const WORDS: Readonly<Record<ReaderChange | OwnChange, Words>> = {
  cut: {
    en: 'It ends too early: the reader cut it, or the code was not whole in the picture.',
    de: 'Er endet zu früh: Das Lesegerät hat ihn abgeschnitten, oder der Code war nicht ganz im Bild.',
  },
  cutBefore: {
    en: 'Its beginning is missing: the reader cut it, or the computer took its first keys for something else.',
    de: 'Sein Anfang fehlt: Das Lesegerät hat ihn abgeschnitten, oder der Computer hat die ersten Tasten für etwas anderes genommen.',
  },
  lines: {
    en: 'The low lines (_) are missing: the reader, or the software behind it, leaves them out.',
    de: 'Die Unterstriche (_) fehlen: Das Lesegerät oder die Software dahinter lässt sie weg.',
  },
  hex: {
    en: 'The code arrived as hexadecimal digits: switch that off in the reader.',
    de: 'Der Code kam als hexadezimale Ziffern an: Schalten Sie das im Lesegerät aus.',
  },
  entities: {
    en: 'Signs of the code are written as in HTML: the software behind the reader must decode them.',
    de: 'Zeichen des Codes sind wie in HTML geschrieben: Die Software hinter dem Lesegerät muss sie dekodieren.',
  },
  bounce: {
    en: 'Each letter arrived twice: lengthen the pause between the keys in the reader.',
    de: 'Jeder Buchstabe kam doppelt an: Verlängern Sie im Lesegerät die Pause zwischen den Tasten.',
  },
  signs: {
    en: 'Letters or signs were replaced by others that look alike: take the code as it was read, without a word processor or a correction of the text.',
    de: 'Buchstaben oder Zeichen wurden durch ähnliche ersetzt: Nehmen Sie den Code, wie er gelesen wurde, ohne Textverarbeitung und ohne Korrektur des Textes.',
  },
  layout: {
    en: 'The reader types with another keyboard layout than the computer has: set both to the same country.',
    de: 'Das Lesegerät tippt mit einer anderen Tastaturbelegung als der Computer: Stellen Sie bei beiden dasselbe Land ein.',
  },
  case: {
    en: 'Capital and small letters are swapped: switch caps lock off, and the change of letter case in the reader.',
    de: 'Groß- und Kleinbuchstaben sind vertauscht: Schalten Sie die Feststelltaste aus, und im Lesegerät das Ändern der Schreibweise.',
  },
  lost: {
    en: 'The letters of the code are lost: it must be read again.',
    de: 'Die Buchstaben des Codes sind verloren: Er muss neu gelesen werden.',
  },
  symbology: {
    en: 'The reader puts the kind of the code in front of it (AIM identifier): switch that off.',
    de: 'Das Lesegerät setzt die Art des Codes davor (AIM-Kennung): Schalten Sie das aus.',
  },
  prefix: {
    en: 'The reader puts something in front of the code: switch its prefix off.',
    de: 'Das Lesegerät setzt etwas vor den Code: Schalten Sie sein Präfix aus.',
  },
  suffix: {
    en: 'Something stands behind the code: switch the suffix of the reader off.',
    de: 'Hinter dem Code steht noch etwas: Schalten Sie das Suffix des Lesegeräts aus.',
  },
  twice: {
    en: 'The code arrived twice in one scan: read it once, and lengthen the wait for the same code in the reader.',
    de: 'Der Code kam in einem Scan doppelt an: Lesen Sie ihn einmal, und verlängern Sie im Lesegerät die Wartezeit für denselben Code.',
  },
  several: {
    en: 'Two tickets came as one: read them one after the other, lengthen the pause between two codes in the reader, and switch its continuous reading off.',
    de: 'Zwei Tickets kamen als eines an: Lesen Sie sie nacheinander, verlängern Sie im Lesegerät die Pause zwischen zwei Codes, und schalten Sie das Dauerlesen aus.',
  },
  url: {
    en: 'The code is inside an address: the software behind the reader must take it out.',
    de: 'Der Code steckt in einer Adresse: Die Software hinter dem Lesegerät muss ihn herauslösen.',
  },
  percent: {
    en: 'The code was percent-encoded: the software behind the reader must decode it.',
    de: 'Der Code wurde prozentkodiert: Die Software hinter dem Lesegerät muss ihn dekodieren.',
  },
  base64: {
    en: 'The code arrived in Base64: the software behind the reader must decode it.',
    de: 'Der Code kam in Base64 an: Die Software hinter dem Lesegerät muss ihn dekodieren.',
  },
  blanks: {
    en: 'Blanks or characters that nobody sees were added to the code: switch that off in the reader.',
    de: 'Dem Code wurden Leerzeichen oder unsichtbare Zeichen hinzugefügt: Schalten Sie das im Lesegerät aus.',
  },
};

const GENUINE: Words = {
  en: 'A genuine code is inside: the ticket is not forged, the reader changed it.',
  de: 'Ein echter Code steckt darin: Das Ticket ist nicht gefälscht, das Lesegerät hat ihn verändert.',
};
const SUSPECTED: Words = {
  en: 'It looks like a code that the reader changed.',
  de: 'Es sieht aus wie ein Code, den das Lesegerät verändert hat.',
};

/** What a person is told of it: whether the ticket is genuine, and what to do. */
export function findingInWords(finding: ReaderFinding, language: 'en' | 'de' = 'en'): string {
  const first = finding.isGenuine ? GENUINE : SUSPECTED;
  const remedies = finding.changes.map((change) => WORDS[change][language]);
  return [first[language], ...new Set(remedies)].join(' ');
}

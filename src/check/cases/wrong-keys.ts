import type { RequestSpec } from '../requests/exchange.ts';
import { UNKNOWN_KEY, withKey } from '../requests/scan-request.ts';
import type { KeyName } from '../target/target.ts';
import type { Spoil } from './run-services.ts';
import type { Scan } from './scan.ts';

/** A way in which a request lacks its key, or has a wrong one. */
export interface WrongKey {
  readonly name: string;
  /** Behind "A request …". */
  readonly what: string;
  readonly needs: readonly KeyName[];
  /** @returns undefined when the key is the same afterwards */
  readonly change: (scan: Scan, keyless: RequestSpec) => RequestSpec | undefined;
}

const SPOILED: readonly (readonly [name: string, what: string, spoil: Spoil])[] = [
  [
    'cut-key',
    'with a key that lacks its last letter',
    (key, variable) => ({ value: key.slice(0, -1), bash: `\${${variable}%?}` }),
  ],
  [
    'beheaded-key',
    'with a key that lacks its first letter',
    (key, variable) => ({ value: key.slice(1), bash: `\${${variable}#?}` }),
  ],
  [
    'lower-case-key',
    'with a key in lower case',
    (key, variable) => ({ value: key.toLowerCase(), bash: `\${${variable},,}` }),
  ],
  [
    'upper-case-key',
    'with a key in upper case',
    (key, variable) => ({ value: key.toUpperCase(), bash: `\${${variable}^^}` }),
  ],
  [
    'middle-letter-key',
    'with a key that has another letter in the middle',
    (key, variable) =>
      withLetter(key, variable, middleOf(key), (letter) => (letter === 'x' ? 'y' : 'x')),
  ],
  [
    'letter-case-key',
    'with a key that has one letter in the other case',
    (key, variable) => withLetter(key, variable, middleLetterOf(key), inOtherCase),
  ],
];

/** No key, and wrong ones in the right place. @param good the key that they are made of */
export function wrongKeys(good: KeyName): readonly WrongKey[] {
  const key = (name: string, what: string, value: string): WrongKey => ({
    name,
    what,
    needs: [],
    change: (_, keyless) => withKey(keyless, value),
  });
  return [
    { name: 'no-key', what: 'without a key', needs: [], change: (_, keyless) => keyless },
    key('empty-key', 'with an empty key', ''),
    key('unknown-key', 'with an unknown key', UNKNOWN_KEY),
    ...SPOILED.map(
      ([name, what, spoil]): WrongKey => ({
        name,
        what,
        needs: [good],
        change(scan, keyless) {
          const spoiled = scan.spoiledKey(good, spoil);
          return spoiled === undefined ? undefined : withKey(keyless, spoiled);
        },
      }),
    ),
    changedKey('longer-key', 'with a key that has letters after it', good, (value) => `${value}AA`),
  ];
}

/** A good key with something before or after it. */
export function changedKey(
  name: string,
  what: string,
  good: KeyName,
  change: (key: string) => string,
): WrongKey {
  return {
    name,
    what,
    needs: [good],
    change: (scan, keyless) => withKey(keyless, change(scan.key(good))),
  };
}

function withLetter(key: string, variable: string, at: number, change: (letter: string) => string) {
  const letter = change(key[at] ?? '');
  return {
    value: `${key.slice(0, at)}${letter}${key.slice(at + 1)}`,
    bash: `\${${variable}:0:${at}}${letter}\${${variable}:${at + 1}}`,
  };
}

function middleOf(key: string): number {
  return Math.floor(key.length / 2);
}

/** The place of the letter that is nearest to the middle; digits have no case. */
function middleLetterOf(key: string): number {
  const middle = middleOf(key);
  const places = [...key.matchAll(/[a-z]/gi)].map(({ index }) => index);
  return places.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0] ?? middle;
}

function inOtherCase(letter: string): string {
  const lower = letter.toLowerCase();
  return letter === lower ? letter.toUpperCase() : lower;
}

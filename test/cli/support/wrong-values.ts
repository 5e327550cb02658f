/** Wrong in one way or another, whatever is meant: each option and argument that takes a value is given all of them. */
export const WRONG_VALUES: Readonly<Record<string, string>> = {
  empty: '',
  blank: ' ',
  'no-break space': '\u00a0',
  word: 'nope',
  'words with a blank': 'no such',
  negative: '-1',
  zero: '0',
  decimal: '1.5',
  'with an exponent': '1e3',
  'very large': '99999999999999999999',
  'a date that is none': '2027-99-01',
  'half an id': 'tkt_half',
  'an id of another kind': 'org_0000000000',
  'an address of another scheme': 'ftp://nobody.example',
  'an address where nothing listens': 'http://127.0.0.1:9',
  'a pair of nothing': 'nope=nope',
  'a format and its folder that is none': 'json=note.txt/x.json',
  'a file of something else': 'note.txt',
  'a folder': '.',
  'a file that is missing': 'none/none.json',
  'a place below a file': 'note.txt/x.json',
  'broken JSON': 'broken.json',
  'broken YAML': 'broken.yaml',
  'JSON with an unknown member': 'member.json',
  'JSON of another shape': 'list.json',
  'an empty file': 'empty.json',
  'a variable that is missing': 'env:NONE',
  'a file reference that is missing': 'file:none/none.txt',
};

/** A sentence, or the part of one behind a colon, that begins with what to do; or what is allowed. */
const REMEDY = new RegExp(
  [
    /must (?:be|have|begin|end|contain)|begins with|needs? |Allowed|Choose|Known |Did you mean|[Ss]uch as|for example/,
    /(?:^|[.:;(→] ?|, or |, and |\bthen )(?:use|give|add|name|write|create|restore|take|leave out|put|check|search|say|save|set|fix|make|change|run|replace|remove|start|install|wait|stop|trust|read|keep|raise|is it|is the server|its addresses)\b/i,
    /ticketscan [a-z]|--help|\bhas (?:at most |from )?\d|line \d+/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'im',
);

/** A refusal, and what was given. */
export interface Refusal {
  /** The option as it is typed, or the name of the argument. */
  readonly name: string;
  readonly value: string;
  /** The value may be a secret, so it need not be said again. */
  readonly isSecret: boolean;
  readonly code: number;
  readonly message: string;
}

/** What a refusal lacks; empty for a good one. */
export function lacksOf({ name, value, isSecret, code, message }: Refusal): string[] {
  const isSaid = saysValue(message, value);
  // Nothing was wrong with the value: another address was asked, or two options do not go together.
  const isOfOthers = code === 3 || WITH_OTHERS.test(message);
  const lacks: string[] = [];
  if (!isOfOthers && !namesIt(message, name) && !(isSaid && NAMES_ITSELF.test(message)))
    lacks.push('name');
  if (!isSecret && !CODE.test(message) && !isSaid && !isOfOthers) lacks.push('value');
  if (!REMEDY.test(message)) lacks.push('remedy');
  return lacks;
}

/** Two options that belong together, or exclude each other; or one that is missing. */
const WITH_OTHERS =
  /--[a-z-]+.*--[a-z-]+|^Which |: (?:Which|For which) |is (?:about|for|used)|needs its|With --|or a holder with/s;

/** Whoever reads the code of a ticket may enter, so what may be one is not said again. */
const CODE = /must be a ticket: its id/;

/** A file, an address or a variable is its own name. */
const NAMES_ITSELF =
  /\bfile\b|folder|keyring|JSON|YAML|address|store|variable|recording|list\b|image|target|^ticketscan: \S+:\d+:/;

function namesIt(message: string, name: string): boolean {
  if (message.includes(name)) return true;
  // A list of what there is, such as `Unknown event "nope"`, names it by its word.
  const word = name.replace(/^--/, '').replaceAll('-', ' ').replace(/s$/, '');
  return message.toLowerCase().includes(word.toLowerCase());
}

function saysValue(message: string, value: string): boolean {
  if (value.trim() === '')
    return /""|" "|"\u00a0"|empty|needs|nothing but|at least one|(?:has|of) 1 to|Which /.test(
      message,
    );
  if (message.includes(value) || (value === '.' && message.includes('/'))) return true;
  // A file is shown with its folder, a URL without what may be a password, and of a pair or a path the part that is wrong.
  const parts = value.split(/[/:=]/).filter((part) => part.length > 1);
  return parts.some((part) => message.includes(part));
}

/** How a JSON text is written; what it means is the same. */
export interface JsonStyle {
  /** Spaces, tabs and line ends between tokens, and around the text. */
  readonly spaced: boolean;
  /** `\u00fc` for letters that need no escape, in names and in values. */
  readonly escaped: boolean;
  /** `10.0` and `1e1` for `10`. */
  readonly otherNumbers: boolean;
}

/** As `JSON.stringify` writes. */
export const COMPACT: JsonStyle = { spaced: false, escaped: false, otherNumbers: false };

const GAPS = ['', ' ', '\t', '\r\n', '\n    '];
const SOME = 0.3;

/** Writes a value as JSON in that style. @param random 0 to below 1, for what is left open */
export function writeJson(value: unknown, style: JsonStyle, random: () => number): string {
  const gap = () => (style.spaced ? (GAPS[Math.floor(random() * GAPS.length)] ?? '') : '');
  const text = (one: string) => (style.escaped ? escaped(one, random) : JSON.stringify(one));
  const list = (begin: string, members: readonly string[], end: string) =>
    `${begin}${gap()}${members.join(`${gap()},${gap()}`)}${gap()}${end}`;
  const write = (one: unknown): string => {
    if (typeof one === 'string') return text(one);
    if (typeof one === 'number' && style.otherNumbers) return otherNumber(one, random);
    if (typeof one !== 'object' || one === null) return JSON.stringify(one);
    if (Array.isArray(one)) return list('[', one.map(write), ']');
    const member = ([name, of]: [string, unknown]) => `${text(name)}${gap()}:${gap()}${write(of)}`;
    return list('{', Object.entries(one).map(member), '}');
  };
  return `${gap()}${write(value)}${gap()}`;
}

/** Every letter beyond ASCII as an escape, and some of the others. */
function escaped(text: string, random: () => number): string {
  const letters = text.split('').map((unit) => {
    if (unit === '/') return '\\/';
    const code = unit.charCodeAt(0);
    if (code < 0x80 && random() >= SOME) return JSON.stringify(unit).slice(1, -1);
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
  return `"${letters.join('')}"`;
}

function otherNumber(value: number, random: () => number): string {
  if (!Number.isInteger(value)) return String(value);
  return random() < 0.5 ? `${value}.0` : value.toExponential();
}

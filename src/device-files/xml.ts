/** One value of an XML document: `reply.gate` is the text of an element, `reply.gate@cmd` an attribute. */
export interface XmlValue {
  readonly path: string;
  readonly value: string;
}

/** The values of an XML document; undefined when it is not well-formed, or has a document type, which can declare entities. */
export function xmlValues(xml: string): XmlValue[] | undefined {
  if (!xml.trimStart().startsWith('<')) return undefined;
  const reader = new XmlReader(xml);
  return reader.isRead() ? reader.values : undefined;
}

const DEPTH_MAX = 64;
const NAME = /[^\s"'<>/=&]+/y;
const ATTRIBUTE = /\s+([^\s"'<>/=&]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const TAG_END = /\s*(\/?)>/y;
/** What says nothing, by how it begins and ends. */
const SKIPPED = [
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;
const [CDATA, CDATA_END] = ['<![CDATA[', ']]>'] as const;

interface OpenElement {
  readonly name: string;
  readonly path: string;
  text: string;
  hasElements: boolean;
}

/** Reads a document from its beginning to its end, once. */
class XmlReader {
  readonly values: XmlValue[] = [];
  readonly #xml: string;
  readonly #open: OpenElement[] = [];
  #at = 0;
  #roots = 0;

  constructor(xml: string) {
    this.#xml = xml;
  }

  isRead(): boolean {
    while (this.#at < this.#xml.length) {
      const isGood = this.#xml[this.#at] === '<' ? this.#isMarkup() : this.#isText();
      if (!isGood) return false;
    }
    return this.#open.length === 0 && this.#roots === 1;
  }

  #isText(): boolean {
    const end = this.#xml.indexOf('<', this.#at);
    const text = this.#xml.slice(this.#at, end === -1 ? undefined : end);
    this.#at += text.length;
    return this.#add(unescaped(text));
  }

  #add(text: string): boolean {
    const element = this.#open.at(-1);
    if (element) element.text += text;
    return element !== undefined || text.trim() === '';
  }

  #isMarkup(): boolean {
    if (this.#isNext(CDATA)) {
      const from = this.#at + CDATA.length;
      return (
        this.#passes(CDATA_END) && this.#add(this.#xml.slice(from, this.#at - CDATA_END.length))
      );
    }
    const skipped = SKIPPED.find(([start]) => this.#isNext(start));
    if (skipped) return this.#passes(skipped[1]);
    return this.#isNext('</') ? this.#isEnd() : this.#isStart();
  }

  #isNext(text: string): boolean {
    return this.#xml.startsWith(text, this.#at);
  }

  #passes(end: string): boolean {
    const found = this.#xml.indexOf(end, this.#at);
    this.#at = found + end.length;
    return found !== -1;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#xml);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #isStart(): boolean {
    this.#at += 1;
    const [name] = this.#take(NAME) ?? [];
    if (name === undefined || name.startsWith('!') || this.#open.length === DEPTH_MAX) return false;
    const parent = this.#open.at(-1);
    if (parent) parent.hasElements = true;
    else this.#roots += 1;
    const path = parent ? `${parent.path}.${name}` : name;
    for (let one = this.#take(ATTRIBUTE); one; one = this.#take(ATTRIBUTE)) {
      const [, key, double, single = ''] = one;
      this.values.push({ path: `${path}@${key}`, value: unescaped(double ?? single) });
    }
    const end = this.#take(TAG_END);
    const element = { name, path, text: '', hasElements: false };
    if (end?.[1] === '') this.#open.push(element);
    else this.#close(element);
    return end !== null;
  }

  #isEnd(): boolean {
    this.#at += 2;
    const [name] = this.#take(NAME) ?? [];
    const element = this.#open.pop();
    if (!element || element.name !== name || this.#take(TAG_END)?.[1] !== '') return false;
    this.#close(element);
    return true;
  }

  /** White space around a text is layout. */
  #close({ path, text, hasElements }: OpenElement): void {
    const value = text.trim();
    if (!hasElements || value !== '') this.values.push({ path, value });
  }
}

const ENTITY = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi;
const CHARACTERS: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function unescaped(text: string): string {
  return text.replaceAll(ENTITY, (all, hex, decimal, name) => {
    if (name) return CHARACTERS[name.toLowerCase()] ?? all;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : all;
  });
}

import { readPage } from '../sql/transfer.ts';
import { SqliteEngine } from '../sqlite/sqlite-engine.ts';
import { applyEdits } from './apply-edits.ts';
import { contentOf } from './content.ts';
import {
  DOCUMENT_FORMAT,
  documentText,
  invalid,
  issuesIn,
  parseDocumentText,
  type StoreContent,
} from './document.ts';
import { databaseOf, type FoundDocument, readDocument, replaceDocument } from './document-file.ts';
import { keepText, type Place, settleText, textsIn } from './document-texts.ts';
import { editsIn } from './edits.ts';

/** How many records are read at once: few enough that no other thread waits long for the file. */
const PAGE = 2000;

const EMPTY: StoreContent = {
  format: DOCUMENT_FORMAT,
  organisations: [],
  events: [],
  keys: [],
  tickets: [],
};

/** The result of writing a document. */
export type WriteResult = 'written' | 'edited' | 'unfinished copy';

/** The database beside a document. It remembers the document as it was last written: what differs in the file is an edit. */
export class DocumentDatabase extends SqliteEngine {
  readonly #path: string;

  /** @param path of the document @throws TicketscanError as `openDatabase` does */
  constructor(path: string) {
    super(databaseOf(path));
    this.#path = path;
  }

  /**
   * Takes over what a person changed in the document, in one transaction.
   * @throws TicketscanError `store_damaged` that names what cannot be taken over; nothing is changed then
   */
  async takeOver(): Promise<void> {
    const found = readDocument(this.#path);
    const texts = await this.#texts();
    const isEdited = found !== undefined && ![...texts.values()].includes(found.text);
    if (isEdited) await this.#takeEdits(found.text, [...texts.values()]);
    if (!found || found.text === texts.get('replaced')) await this.writeDocument();
  }

  async #takeEdits(text: string, texts: readonly string[]): Promise<void> {
    const file = parseDocumentText(text, this.#path);
    const read = texts.map((one) => parseDocumentText(one, this.#path));
    const written = read.length > 0 ? read : [EMPTY];
    const stored = await this.#content(file.$schema);
    const { edits, issues } = editsIn({ written, file, stored });
    if (issues.length > 0) throw invalid(this.#path, text, issues);
    await this.withDeadline((sql) =>
      sql.inTransaction(async () => {
        await applyEdits(sql, edits, (list, message) =>
          invalid(this.#path, text, [{ path: [list], message }]),
        );
        const left = issuesIn(
          await contentOf((section, after) => readPage(sql, section, after, PAGE)),
        );
        if (left.length > 0) throw invalid(this.#path, text, left);
        settleText(this.database, text);
      }),
    );
  }

  /**
   * Brings the document up to date, unless somebody has edited it: an edited document is left as it is.
   * At every moment the file has a text that this database knows.
   */
  async writeDocument(): Promise<WriteResult> {
    // An unfinished copy has half of the tickets: its document must not look like a whole store.
    if (await this.unfinishedCopy()) return 'unfinished copy';
    const found = readDocument(this.#path);
    const texts = await this.#texts();
    if (found && ![...texts.values()].includes(found.text)) return 'edited';
    const text = documentText(await this.#content(this.#schemaIn(texts.get('now'))));
    if (found?.text === text && texts.get('now') === text && texts.size === 1) return 'written';
    if (found?.text !== text && !(await this.#replace(text, found))) return 'edited';
    await this.changeAnything(() => settleText(this.database, text));
    return 'written';
  }

  /** False if no program has taken over a document yet. */
  async knowsDocument(): Promise<boolean> {
    return (await this.#texts()).size > 0;
  }

  async #replace(text: string, found: FoundDocument | undefined): Promise<boolean> {
    await this.changeAnything(() => keepText(this.database, 'next', text));
    return replaceDocument(this.#path, text, found);
  }

  #schemaIn(text: string | undefined): string | undefined {
    return text === undefined ? undefined : (JSON.parse(text) as StoreContent).$schema;
  }

  /** The content for the document. @param schema the `$schema` that the document has */
  async #content(schema: string | undefined): Promise<StoreContent> {
    await this.beginSnapshot();
    try {
      const content = await contentOf((section, after) => this.readSnapshot(section, after, PAGE));
      return schema === undefined ? content : { $schema: schema, ...content };
    } finally {
      await this.endSnapshot();
    }
  }

  #texts(): Promise<Map<Place, string>> {
    return this.runAlone(() => textsIn(this.database));
  }
}

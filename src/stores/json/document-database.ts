import { defined } from '../../kit/defined.ts';
import { writeAuditEntry } from '../sql/administrative-records.ts';
import { readPage } from '../sql/transfer.ts';
import { SqliteEngine } from '../sqlite/sqlite-engine.ts';
import { applyEdits } from './apply-edits.ts';
import { type Base, baseOfEarlierText, baseOfTexts } from './bases.ts';
import { contentOf } from './content.ts';
import { DOCUMENT_FORMAT, documentText, issuesIn, type StoreContent } from './document.ts';
import {
  keepChanges,
  keepNumber,
  knowsNumber,
  nextNumber,
  pruneChanges,
  rowsAt,
} from './document-changes.ts';
import { databaseOf, type FoundDocument, readDocument, replaceDocument } from './document-file.ts';
import { changesBetween, numberOf, type RowChange, withoutNumber } from './document-lines.ts';
import { keepText, type Place, settleText, textsIn } from './document-texts.ts';
import { auditEntryOf } from './edit-audit.ts';
import { editsIn } from './edits.ts';
import { noticeOf } from './notice.ts';
import { invalid, parseDocumentText, parseEditedText, unknownText } from './read-document.ts';

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

type Texts = ReadonlyMap<Place, string>;

/**
 * The database beside a document. It remembers the document as it was written last, and which rows were otherwise before: what is different in the
 * file is an edit.
 */
export class DocumentDatabase extends SqliteEngine {
  readonly #path: string;

  /** @param path of a document that this program has locked @throws TicketscanError as `openDatabase` does */
  constructor(path: string) {
    super(databaseOf(path), { isOpenAlready: true });
    this.#path = path;
  }

  /**
   * Takes over what a person changed in the document, in one transaction.
   * @returns what people should know of it
   * @throws TicketscanError `store_damaged` that names what cannot be taken over; nothing is changed then
   */
  async takeOver(): Promise<string | undefined> {
    const found = readDocument(this.#path);
    const texts = await this.#texts();
    const isEdited = found !== undefined && ![...texts.values()].includes(found.text);
    const notice = isEdited ? await this.#takeEdits(found.text, texts) : undefined;
    const isReplaced = found?.text === texts.get('replaced');
    // The rows of a document that was made from an earlier text are not all in it.
    if (!found || isReplaced || notice !== undefined) await this.writeDocument();
    return notice;
  }

  async #takeEdits(text: string, texts: Texts): Promise<string | undefined> {
    const file = parseEditedText(text, this.#path);
    const read = [...texts.values()].map((one) => parseDocumentText(one, this.#path));
    const base = await this.#baseOf(file, read, lastOf(texts));
    const stored = await this.#content();
    const { edits, issues, erased } = editsIn({ base, file, stored });
    if (issues.length > 0) throw invalid(this.#path, text, issues);
    await this.withDeadline((sql) =>
      sql.inTransaction(async () => {
        await applyEdits(
          sql,
          edits,
          (list, message) => invalid(this.#path, text, [{ path: [list], message }]),
          texts.size === 0,
        );
        const content = await contentOf((section, after) => readPage(sql, section, after, PAGE));
        const wrong = issuesIn(content);
        if (wrong.length > 0) throw invalid(this.#path, text, wrong);
        if (texts.size > 0 && edits.length > 0)
          await writeAuditEntry(sql, auditEntryOf(this.#path, edits, [stored, content]));
        settleText(this.database, text);
        this.#keepFollowing(text, file, lastOf(texts), content);
      }),
    );
    if (texts.size === 0) return undefined;
    const isOlder =
      file.written !== undefined && !read.some(({ written }) => written === file.written);
    return noticeOf(this.#path, { edits, erased, isOlder });
  }

  /** The text that the person began to edit. @param read what the program wrote last, or was about to @throws TicketscanError `store_damaged` for a text that is not of this store */
  async #baseOf(
    { written }: StoreContent,
    read: readonly StoreContent[],
    last: string | undefined,
  ): Promise<Base> {
    if (last === undefined || written === undefined)
      return baseOfTexts(read.length > 0 ? read : [EMPTY]);
    const known = parseDocumentText(last, this.#path);
    return this.runAlone(() => {
      if (written !== known.written && !knowsNumber(this.database, written))
        throw unknownText(this.#path, written);
      return baseOfEarlierText(known, rowsAt(this.database, written));
    });
  }

  /** Keeps what an edit makes of the last text before that is written. Runs inside a transaction. */
  #keepFollowing(
    edited: string,
    { $schema, written }: StoreContent,
    last: string | undefined,
    content: StoreContent,
  ): void {
    const text = this.#textOf(content, $schema, last ?? edited);
    // If no program wrote a text before, this one is the first.
    if (last === undefined && written !== undefined && written <= Date.now())
      keepNumber(this.database, written);
    if (last !== undefined) keepChanges(this.database, text, changesBetween(last, text));
    if (text === edited) return;
    this.#keepNext(text);
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
    const last = lastOf(texts);
    const content = await this.#content();
    const text = await this.runAlone(() => this.#textOf(content, schemaIn(last), last));
    if (found?.text === text && texts.get('now') === text && texts.size === 1) return 'written';
    if (found?.text !== text) {
      await this.#keepChanges(last === undefined ? [] : changesBetween(last, text), text);
      if (!(await this.#replace(text, found, texts))) return 'edited';
    }
    await this.changeAnything(() => settleText(this.database, text));
    return 'written';
  }

  /** False if no program has taken over a document yet. */
  async knowsDocument(): Promise<boolean> {
    return (await this.#texts()).size > 0;
  }

  /** Keeps changes in steps: others would have to wait for very many at once. */
  async #keepChanges(changes: readonly RowChange[], text: string): Promise<void> {
    for (let first = 0; first < changes.length; first += PAGE) {
      const step = changes.slice(first, first + PAGE);
      await this.changeAnything(() => keepChanges(this.database, text, step));
    }
  }

  async #replace(text: string, found: FoundDocument | undefined, texts: Texts): Promise<boolean> {
    await this.changeAnything(() => {
      // A program that was killed had replaced the document.
      if (found && found.text === texts.get('next')) settleText(this.database, found.text);
      this.#keepNext(text);
    });
    return replaceDocument(this.#path, text, found);
  }

  /** Keeps the next text with its number. Runs inside a transaction. */
  #keepNext(text: string): void {
    const written = numberOf(text);
    if (written !== undefined) keepNumber(this.database, written);
    pruneChanges(this.database, Date.now());
    keepText(this.database, 'next', text);
  }

  /** A text that says the same as the last one is the last one; another gets a number of its own. */
  #textOf(content: StoreContent, schema: string | undefined, last: string | undefined): string {
    const written = nextNumber(this.database, Date.now());
    const text = documentText({ ...content, ...defined({ $schema: schema }), written });
    const isSame = last !== undefined && withoutNumber(last) === withoutNumber(text);
    return isSame ? last : text;
  }

  async #content(): Promise<StoreContent> {
    await this.beginSnapshot();
    try {
      return await contentOf((section, after) => this.readSnapshot(section, after, PAGE));
    } finally {
      await this.endSnapshot();
    }
  }

  #texts(): Promise<Map<Place, string>> {
    return this.runAlone(() => textsIn(this.database));
  }
}

/** The text that was made last: as the program writes them. */
function lastOf(texts: Texts): string | undefined {
  return texts.get('next') ?? texts.get('now');
}

function schemaIn(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as StoreContent).$schema;
}

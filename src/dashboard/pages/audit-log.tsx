import type { AuditEntry } from '../api/types.ts';
import { usePages } from '../api/use-api.ts';
import { type Column, ListTable, Pager, Unfolding } from '../components/data-table.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Name, StateBadge, TimeText } from '../components/values.tsx';
import type { Formats } from '../i18n/formats.ts';
import { useFormats, useTexts } from '../i18n/language.tsx';
import type { Texts } from '../i18n/texts.ts';

/** The audit log: who changed what, and when; newest first. */
export function AuditLogPage() {
  const { auditLog } = useTexts();
  const columns = useColumns();
  const pages = usePages('GET /audit-trail', {}, 'before');
  return (
    <>
      <PageHead title={auditLog.title} />
      <p className="dimmed">{auditLog.help}</p>
      <ListTable
        asked={pages}
        empty={auditLog.empty}
        label={auditLog.title}
        columns={columns}
        keyOf={({ sequence }) => sequence}
      />
      <Pager pages={pages} />
    </>
  );
}

function useColumns(): Column<AuditEntry>[] {
  const texts = useTexts();
  const formats = useFormats();
  const { auditLog, acts } = texts;
  return [
    { title: auditLog.when, cell: ({ at }) => <TimeText at={at} only="seconds" /> },
    {
      title: auditLog.who,
      cell: ({ by, byKind }) =>
        byKind === 'command_line' ? (
          <StateBadge text={auditLog.commandLine} good={undefined} />
        ) : (
          <Name>{by}</Name>
        ),
    },
    {
      title: auditLog.what,
      cell: ({ act, subject }) => (
        <span className="two-lines">
          <span title={act}>{acts[act] ?? act}</span> <Name>{subject}</Name>
        </span>
      ),
    },
    {
      title: auditLog.details,
      rest: true,
      cell: ({ details }) =>
        Object.keys(details).length > 0 && (
          <Unfolding>{detailsText(details, texts, formats)}</Unfolding>
        ),
    },
  ];
}

/** Somebody typed these: a gate may be called "in". */
const FREE_TEXTS: ReadonlySet<string> = new Set([
  ...['name', 'account', 'accounts', 'from', 'to', 'lines', 'host', 'backup', 'device'],
  ...['firstName', 'lastName', 'reason'],
]);
const ERASED = 'erased';
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u;

/** What changed, in words: `Role: owner, Number: 3`. */
export function detailsText(
  details: AuditEntry['details'],
  texts: Texts,
  formats: Pick<Formats, 'dateTime' | 'number'>,
): string {
  const textOf = (name: string, value: unknown): string => {
    if (value === null || value === undefined) return '–';
    if (Array.isArray(value)) return value.map((one) => textOf(name, one)).join('; ') || '–';
    if (typeof value === 'object') return `(${detailsText({ ...value }, texts, formats)})`;
    if (typeof value === 'number') return formats.number(value);
    return wordFor(name, String(value), texts, formats);
  };
  return Object.entries(details)
    .map(([name, value]) => `${labelOf(name, texts)}: ${textOf(name, value)}`)
    .join(', ');
}

/** A field of a ticket is called as on its page. */
function labelOf(name: string, { details, tickets }: Texts): string {
  const label = details[name] ?? (tickets as Readonly<Record<string, unknown>>)[name];
  return typeof label === 'string' ? label : name;
}

function wordFor(
  name: string,
  text: string,
  { detailValues, paper, webhooks }: Texts,
  { dateTime }: Pick<Formats, 'dateTime'>,
): string {
  if (FREE_TEXTS.has(name) && text !== ERASED) return text;
  if (ISO_TIME.test(text)) return dateTime(text);
  const words: Readonly<Record<string, string>> = {
    ...paper.languages,
    ...webhooks.eventNames,
    ...detailValues,
  };
  return words[text] ?? text;
}

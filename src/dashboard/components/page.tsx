import { Alert, Button, Code } from '@mantine/core';
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { refusalText } from '../../core/refusals/catalogue.ts';
import { DAY_MS, MINUTE_MS } from '../../kit/durations.ts';
import type { Explained, Input, Key, LineFault, Route } from '../api/http.ts';
import { ApiFailure, addressOf } from '../api/http.ts';
import { useRead } from '../api/use-api.tsx';
import { columnLabel } from '../i18n/column-labels.ts';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { pageZone } from '../i18n/formats.ts';
import { useFormats, useLanguage } from '../i18n/language.tsx';
import type { Texts } from '../i18n/texts.ts';
import { Empty, Loading } from './page-head.tsx';
import { Name } from './values.tsx';

interface WarningProps {
  readonly color?: 'yellow' | 'red';
  readonly mb?: 'md';
  readonly role?: 'status';
  readonly children: ReactNode;
}

/** Something to take care of soon. */
export function Warning({ color = 'yellow', ...alert }: WarningProps) {
  return <Alert color={color} icon={<IconAlertTriangle aria-hidden />} {...alert} />;
}

/** When something went wrong: what, and another attempt where one makes sense. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const texts = useDeskTexts();
  return (
    <Alert
      role="alert"
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={texts.failures.title}
    >
      <p>{failureText(error, texts)}</p>
      <LineFaults faults={faultsOf(error)} />
      {retry && !(error instanceof ApiFailure && error.status === 404) && (
        <Button size="xs" variant="default" onClick={retry}>
          {texts.general.retry}
        </Button>
      )}
    </Alert>
  );
}

export function Done({ text }: { text: string }) {
  return (
    <Alert color="green" role="status">
      {text}
    </Alert>
  );
}

export function faultsOf(error: unknown): readonly LineFault[] {
  return error instanceof ApiFailure ? error.faults : [];
}

const FAULTS_SHOWN = 20;

/** What is wrong with the lines of a file, equal faults once. */
export function LineFaults({ faults }: { faults: readonly LineFault[] }) {
  const texts = useDeskTexts();
  const { general } = texts;
  if (faults.length === 0) return null;
  return (
    <ul className="faults">
      {faults
        .slice(0, FAULTS_SHOWN)
        .map(({ line, lines, count, column, message, ...explained }) => (
          <li key={`${line} ${column} ${message}`}>
            {count > 1 ? general.lines(lines.join(', '), count - lines.length) : general.line(line)}
            {column && `, ${columnLabel(column, texts)}`}: {reasonText(explained, texts) ?? message}
          </li>
        ))}
      {faults.length > FAULTS_SHOWN && (
        <li>{general.andMore(String(faults.length - FAULTS_SHOWN))}</li>
      )}
    </ul>
  );
}

export interface Asked<Answer> {
  readonly data: Answer | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

interface AnsweredProps<Answer> {
  readonly asked: Asked<Answer>;
  readonly children: (answer: Answer) => ReactNode;
}

/** Shows an answer once it is there, and until then that it is awaited or why it did not come. */
export function Answered<Answer>({ asked, children }: AnsweredProps<Answer>) {
  if (asked.data !== undefined) return children(asked.data);
  if (asked.error) return <Failure error={asked.error} retry={() => void asked.refetch()} />;
  return <Loading />;
}

interface CardsProps<Item> {
  readonly asked: Asked<{ readonly items: readonly Item[] }>;
  /** Said instead when there are none. */
  readonly empty: string;
  readonly card: (item: Item) => ReactNode;
}

/** A list of the server, a card for each; the card has the key. */
export function Cards<Item>({ asked, empty, card }: CardsProps<Item>) {
  return (
    <Answered asked={asked}>
      {({ items }) =>
        items.length === 0 ? <Empty text={empty} /> : <ul className="cards">{items.map(card)}</ul>
      }
    </Answered>
  );
}

/** What went wrong, for a person: by the code of the answer, else by its status, else in the server's own words. */
export function failureText(error: unknown, texts: Texts): string {
  if (!(error instanceof ApiFailure)) return texts.failures.fault;
  if (error.status === 0) return texts.failures.unreachable;
  const text = reasonText(error, texts);
  if (text !== undefined) return text;
  if (error.status === 404) return texts.failures.notFound;
  if (error.status >= 500) return texts.failures.fault;
  return texts.failures.refused(error.message);
}

function reasonText(
  { code = '', values = {} }: Explained,
  { languageCode }: Texts,
): string | undefined {
  return refusalText(code, values, languageCode);
}

/** Says that a key's scans will be refused before the month ends; nothing where the month lasts. */
export function MonthWarning({ usage, name }: { usage: Key['usage']; name?: string }) {
  const { keys } = useDeskTexts();
  const formats = useFormats();
  if (usage.usedUpAt === null) return null;
  const isUsedUp = usage.requestsThisMonth >= usage.quota;
  return (
    <Warning mb="md" color={isUsedUp ? 'red' : 'yellow'}>
      {name !== undefined && (
        <>
          <Name>{name}</Name>
          {': '}
        </>
      )}
      {isUsedUp ? keys.usedUp : keys.usedUpFrom(formats.dateTime(usage.usedUpAt))}
    </Warning>
  );
}

const REFUSALS_EVERY_MS = 10_000;

/** What belongs to gates: strangers ask for other paths all the time. */
const PATHS_OF_GATES = /^\/(?:scan|devices)\//;

/** Says that requests of gates were refused within the last day; nothing where none were. */
export function RefusalHint() {
  const { refusals } = useDeskTexts();
  const formats = useFormats();
  const { data } = useRead('GET /refusals', {}, { everyMs: REFUSALS_EVERY_MS });
  const latest = data?.items.find(({ endpoint }) => PATHS_OF_GATES.test(endpoint));
  // Also none of the future: a clock was set back since.
  if (!latest || Math.abs(Date.now() - Date.parse(latest.lastAt)) > DAY_MS) return null;
  return (
    <Warning mb="md">
      {refusals.hint(formats.dateTime(latest.lastAt), refusals.reasons[latest.reason])}{' '}
      <Link href="/log/refused">{refusals.show}</Link>
    </Warning>
  );
}

const BACKUP_EVERY_MS = 10 * MINUTE_MS;

/** How old the last backup is, if this account may know. @param overdue true: show only a warning; false: show only an age that needs none */
export function BackupNote({ overdue }: { overdue: boolean }) {
  const { overview } = useDeskTexts();
  const formats = useFormats();
  const backup = useRead('GET /server', {}, { everyMs: BACKUP_EVERY_MS }).data?.backup;
  if (!backup || backup.overdue !== overdue) return null;
  const { at } = backup;
  const text =
    at === null ? overview.noBackup : overview.lastBackup(formats.ago(at), formats.dateTime(at));
  if (!overdue) return <p className="dimmed small">{text}</p>;
  return (
    <Warning mb="md">
      {text} {overview.makeBackup} <Code>ticketscan store backup</Code>
    </Warning>
  );
}

interface ExportLinksProps {
  readonly route: Route;
  readonly filter: Input;
}

/** Downloads of a whole list. The browser fetches them itself, so that their size does not matter to the page. */
export function ExportLinks({ route, filter }: ExportLinksProps) {
  const {
    language,
    texts: { general },
  } = useLanguage();
  const link = (format: string, short: string, text: string) => (
    <Button
      aria-label={text}
      component="a"
      variant="default"
      download
      href={addressOf(route, { ...filter, format, language, timeZone: pageZone() })}
      leftSection={<IconDownload size={18} aria-hidden />}
    >
      {short}
    </Button>
  );
  const excel = link('excel', 'Excel', general.exportExcel);
  return (
    <>
      {language === 'de' && excel}
      {link('csv', 'CSV', general.exportCsv)}
      {language !== 'de' && excel}
    </>
  );
}

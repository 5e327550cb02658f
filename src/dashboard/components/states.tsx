import { Alert, Button, Loader } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ApiFailure, type Explained, type LineFault } from '../api/http.ts';
import { useTexts } from '../i18n/language.tsx';
import type { Texts } from '../i18n/texts.ts';

/** While an answer is awaited. */
export function Loading() {
  const { general } = useTexts();
  return (
    <div className="state" role="status">
      <Loader size="sm" aria-hidden />
      <span>{general.loading}</span>
    </div>
  );
}

/** When there is nothing to show: says so, and what to do about it. */
export function Empty({ text }: { text: string }) {
  return (
    <div className="state empty">
      <p>{text}</p>
    </div>
  );
}

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
  const texts = useTexts();
  return (
    <Alert
      role="alert"
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={texts.failures.title}
    >
      <p>{failureText(error, texts)}</p>
      {error instanceof ApiFailure && <LineFaults faults={error.faults} />}
      {retry && (
        <Button size="xs" variant="default" onClick={retry}>
          {texts.general.retry}
        </Button>
      )}
    </Alert>
  );
}

interface ChangeResultProps {
  readonly change: { readonly error: Error | null; readonly isSuccess: boolean };
  readonly done: string;
}

/** What came of a change, in a form that stays. */
export function ChangeResult({ change: { error, isSuccess }, done }: ChangeResultProps) {
  return (
    <>
      {error && <Failure error={error} />}
      {isSuccess && <Done text={done} />}
    </>
  );
}

export function Done({ text }: { text: string }) {
  return (
    <Alert color="green" role="status">
      {text}
    </Alert>
  );
}

const FAULTS_SHOWN = 20;

/** What is wrong with the lines of a file, equal faults once. */
export function LineFaults({ faults }: { faults: readonly LineFault[] }) {
  const texts = useTexts();
  const { general } = texts;
  const { firstName, lastName, type, uses, event } = texts.tickets;
  const columns: Readonly<Record<string, string>> = {
    ...{ firstName, lastName, type, uses, event },
    ...texts.lists.columns,
  };
  if (faults.length === 0) return null;
  return (
    <ul className="faults">
      {faults
        .slice(0, FAULTS_SHOWN)
        .map(({ line, lines, count, column, message, ...explained }) => (
          <li key={`${line} ${column} ${message}`}>
            {count > 1 ? general.lines(lines.join(', '), count - lines.length) : general.line(line)}
            {column && `, ${columns[column] ?? column}`}: {reasonText(explained, texts) ?? message}
          </li>
        ))}
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

/** The text for a code; undefined for one that this page does not know, of a newer server for example. */
function reasonText({ code, values = {} }: Explained, texts: Texts): string | undefined {
  const reasons: Readonly<Record<string, Texts['reasons'][keyof Texts['reasons']]>> = texts.reasons;
  const text = code !== undefined && Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  return typeof text === 'function' ? text(values) : text;
}

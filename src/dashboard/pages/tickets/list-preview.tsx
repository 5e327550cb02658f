import { Alert, NativeSelect } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { ApiFailure, call, type LineFault } from '../../api/http.ts';
import { failureText } from '../../components/failure-text.ts';
import { LineFaults, Loading } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';

/** What an import would store. */
interface ListPreview {
  readonly tickets: number;
  readonly ended: number;
}

/** What the ticket types of a file are here. */
export type Kinds = Readonly<Record<string, string>>;

/** Reads a list as an import would, and stores nothing. */
export function usePreview({
  file,
  head,
  path,
  body,
}: {
  readonly file: File | null;
  readonly head: unknown;
  readonly path: string;
  readonly body: Blob | null;
}): UseQueryResult<ListPreview> {
  return useQuery({
    queryKey: ['list-preview', path, file?.name, file?.size, file?.lastModified],
    queryFn: () => call<ListPreview>({ method: 'POST', path: `${path}&preview=true`, body }),
    // Before the head is read, its encoding is not known.
    enabled: file !== null && (head !== undefined || path.includes('format=jsonl')),
    retry: false,
    gcTime: 0,
  });
}

export function faultsOf(error: Error | null): readonly LineFault[] {
  return error instanceof ApiFailure ? error.faults : [];
}

export function columnsWith(code: string, faults: readonly LineFault[]): ReadonlySet<string> {
  return new Set(faults.flatMap((fault) => (fault.code === code ? [fault.column ?? ''] : [])));
}

/** What can be read of a list, or why it cannot be imported. */
export function Preview({ preview }: { readonly preview: UseQueryResult<ListPreview> }) {
  const texts = useTexts();
  const { lists } = texts;
  if (preview.isFetching) return <Loading />;
  if (preview.error) {
    const faults = faultsOf(preview.error);
    return (
      <Alert role="alert" color="orange" title={lists.unreadable}>
        {faults.length === 0 && <p>{failureText(preview.error, texts)}</p>}
        <LineFaults faults={faults} />
      </Alert>
    );
  }
  if (!preview.data) return null;
  const { tickets, ended } = preview.data;
  return (
    <Alert role="status" color={ended > 0 ? 'orange' : 'blue'}>
      {lists.preview(tickets)} {ended > 0 && lists.ended(ended, tickets)}
    </Alert>
  );
}

interface KindMappingProps {
  readonly kinds: Kinds;
  readonly faults: readonly LineFault[];
  readonly onChange: (kinds: Kinds) => void;
}

/** What each ticket type of the file is that has an unknown name. */
export function KindMapping({ kinds, faults, onChange }: KindMappingProps) {
  const { lists, tickets } = useTexts();
  const unknown = faults.flatMap(({ code, values }) =>
    code === 'kind_unknown' && values ? [String(values['text'])] : [],
  );
  const names = [...new Set([...Object.keys(kinds), ...unknown])];
  if (names.length === 0) return null;
  const choices = [
    { value: '', label: lists.kindChoice },
    ...(['single', 'multi', 'permanent'] as const).map((value) => ({
      value,
      label: tickets[value],
    })),
  ];
  const choose = (name: string, kind: string) => {
    const { [name]: _, ...others } = kinds;
    onChange(kind === '' ? others : { ...others, [name]: kind });
  };
  return (
    <fieldset className="mapping">
      <legend>{lists.kinds}</legend>
      {names.map((name) => (
        <NativeSelect
          key={name}
          label={name}
          data={choices}
          value={kinds[name] ?? ''}
          onChange={(event) => choose(name, event.currentTarget.value)}
        />
      ))}
    </fieldset>
  );
}

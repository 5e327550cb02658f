import { useNameOf } from '../../api/lists.ts';
import type { Refusals } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Name } from '../../components/name.tsx';
import { Answered, Empty } from '../../components/states.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

const REFRESH_MS = 5000;

type Refusal = Refusals['items'][number];

/** Requests that no scan came of: their key was disabled, deleted or of the other type, or over a limit. */
export function RefusedRequests() {
  const { refusals } = useTexts();
  const formats = useFormats();
  const columns = useColumns();
  const list = useRead<Refusals>('/refusals', { everyMs: REFRESH_MS });
  return (
    <>
      <p className="dimmed">{refusals.about}</p>
      <Answered asked={list}>
        {({ items, others, unknownKeys }) => (
          <>
            {!unknownKeys && <p>{refusals.withoutUnknown}</p>}
            {items.length === 0 ? (
              <Empty text={unknownKeys ? refusals.empty : refusals.emptyOwn} />
            ) : (
              <>
                <DataTable label={refusals.title} columns={columns} rows={items} keyOf={nameOf} />
                {others && <p>{refusals.others(formats.number(others.times))}</p>}
              </>
            )}
          </>
        )}
      </Answered>
    </>
  );
}

function nameOf({ reason, key, keyId, serial, address, endpoint }: Refusal): string {
  return [reason, key, keyId, serial, address, endpoint].join(' ');
}

function useColumns(): Column<Refusal>[] {
  const { refusals, log } = useTexts();
  const formats = useFormats();
  const keyName = useNameOf('keys');
  return [
    { title: refusals.last, cell: ({ lastAt }) => <TimeText at={lastAt} /> },
    { title: refusals.times, cell: ({ times }) => formats.number(times), end: true },
    { title: refusals.reason, cell: ({ reason }) => refusals.reasons[reason] },
    {
      title: log.key,
      cell: ({ key, keyId }) => (
        <>
          <Name>{keyName(keyId ?? '')}</Name> <span className="mono dimmed">{key}</span>
        </>
      ),
    },
    { title: log.gate, cell: ({ serial }) => (serial ? <Name>{serial}</Name> : '–') },
    { title: refusals.address, cell: ({ address }) => <span className="mono">{address}</span> },
    { title: refusals.endpoint, cell: ({ endpoint }) => <span className="mono">{endpoint}</span> },
  ];
}

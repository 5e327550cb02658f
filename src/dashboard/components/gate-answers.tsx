import type { AnswerOf, Device } from '../api/http.ts';
import { useRead } from '../api/use-api.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';
import { Facts } from './ticket-values.tsx';

/** What the scans of a gate were answered today. */
export function AnswersOfToday({ answers }: { readonly answers: Device['today'] }) {
  const { general, outcomes } = useDeskTexts();
  const formats = useFormats();
  const names: Record<string, string> = outcomes;
  const facts = answers.map(({ outcome, scans }) => [
    names[outcome] ?? outcome,
    formats.number(scans),
  ]);
  if (facts.length === 0) return <p className="dimmed">{general.none}</p>;
  return <Facts facts={Object.fromEntries(facts)} />;
}

interface RefusedBelowProps {
  readonly keyId: string;
  /** The device that is asked about; undefined for all devices of the key. */
  readonly serial?: string;
  /** The addresses of the devices: what came from there without a key, such as a TLS failure, was probably theirs. */
  readonly addresses: readonly string[];
}

/** What of a gate was refused below the application, such as a wrong address or a TLS failure; nothing where nothing was. */
export function RefusedBelow(of: RefusedBelowProps) {
  const { devices } = useDeskTexts();
  const formats = useFormats();
  const nameOf = useNameOfRefusal(of);
  const all = useRead('GET /refusals').data?.items ?? [];
  const refused = new Map<string, { times: number; lastAt: string }>();
  for (const one of all.filter((row) => isOf(row, of))) {
    const { times, lastAt } = refused.get(nameOf(one)) ?? one;
    // The latest comes first.
    const before = refused.has(nameOf(one)) ? times : 0;
    refused.set(nameOf(one), { times: before + one.times, lastAt });
  }
  if (refused.size === 0) return null;
  return (
    <>
      <h3>{devices.below}</h3>
      <ul className="report-lines">
        {[...refused].map(([name, { times, lastAt }]) => (
          <li key={name}>
            {name}: {devices.refused(formats.number(times), formats.dateTime(lastAt))}
          </li>
        ))}
      </ul>
    </>
  );
}

type Refused = AnswerOf<'GET /refusals'>['items'][number];

function isOf(row: Refused, { keyId, serial, addresses }: RefusedBelowProps): boolean {
  if (row.keyId === null) return addresses.includes(row.address);
  return row.keyId === keyId && (serial === undefined || row.serial === serial);
}

function useNameOfRefusal({ serial }: RefusedBelowProps): (row: Refused) => string {
  const { devices, refusals } = useDeskTexts();
  return (row) => {
    const reason = refusals.reasons[row.reason];
    if (row.keyId === null) return devices.fromAddress(reason, row.address);
    return serial === undefined && row.serial ? `${reason} (${row.serial})` : reason;
  };
}

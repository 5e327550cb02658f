import { Link } from 'wouter';
import { type Key, queryOf } from '../api/http.ts';
import { useDevices } from '../api/lists.ts';
import { useRead } from '../api/use-api.tsx';
import { PlainModal } from '../components/dialogs.tsx';
import { AnswersOfToday, RefusedBelow } from '../components/gate-answers.tsx';
import { Answered } from '../components/page.tsx';
import { SmallScans } from '../components/scans.tsx';
import { Facts } from '../components/ticket-values.tsx';
import { Name, TimeText } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';

const REFRESH_MS = 5000;
const SCANS_SHOWN = 5;

/** How a key is doing: since when it exists, what its scans were answered today, and what was refused before any scan. */
export function KeyDetails({ apiKey: { id, name, createdAt } }: { readonly apiKey: Key }) {
  const { devices, general, keys } = useDeskTexts();
  const every = { everyMs: REFRESH_MS };
  const today = useRead('GET /key-answers/:id', { id }, every);
  const latest = useRead('GET /log', { key: id, limit: SCANS_SHOWN }, every).data?.items;
  const own = useDevices(REFRESH_MS).data?.items.filter(({ keyId }) => keyId === id) ?? [];
  return (
    <PlainModal title={name}>
      <div className="key-details">
        <Facts
          facts={{
            [keys.since]: <TimeText at={createdAt} />,
            [devices.lastScan]: <TimeText at={latest?.[0]?.at ?? null} only="seconds" />,
            [keys.devices]: own.length > 0 && (
              <ul className="inline-list">
                {own.map(({ serial, name: given }) => (
                  <li key={serial}>
                    <Name>{given ?? (serial || devices.noSerial)}</Name>
                  </li>
                ))}
              </ul>
            ),
          }}
        />
        <h3>{devices.today}</h3>
        <Answered asked={today}>{(answer) => <AnswersOfToday answers={answer.today} />}</Answered>
        <RefusedBelow keyId={id} addresses={own.map(({ address }) => address)} />
        <h3>{devices.lastScans}</h3>
        {latest?.length === 0 && <p className="dimmed">{general.none}</p>}
        <SmallScans scans={latest ?? []} withGate={false} />
        <p>
          <Link href={`/log/history${queryOf({ key: id })}`}>{keys.allScans}</Link>
          {' · '}
          <Link href="/log/refused">{keys.allRefused}</Link>
        </p>
      </div>
    </PlainModal>
  );
}

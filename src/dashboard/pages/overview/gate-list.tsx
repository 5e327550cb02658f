import { useGateName } from '../../api/lists.ts';
import type { Statistics } from '../../api/types.ts';
import { scansOf } from '../../components/count-chart.tsx';
import { CountList } from '../../components/count-list.tsx';
import { Name } from '../../components/name.tsx';
import { useTexts } from '../../i18n/language.tsx';

const GATES_SHOWN = 20;

/** Which gate admits and denies how many: the busiest first. */
export function GateList({ gates }: { gates: Statistics['byGate'] }) {
  const { overview } = useTexts();
  const keyName = useGateName();
  const busiest = gates.toSorted((a, b) => scansOf(b) - scansOf(a)).slice(0, GATES_SHOWN);
  const rows = busiest.map(({ gate, keyId, serial, ...counts }) => ({
    ...counts,
    key: `${keyId} ${gate}`,
    name: <Name>{serial ?? keyName(keyId)}</Name>,
  }));
  return (
    <section className="panel">
      <h2>{overview.byGate}</h2>
      {rows.length === 0 && <p className="dimmed">{overview.noScans}</p>}
      <CountList rows={rows} />
    </section>
  );
}

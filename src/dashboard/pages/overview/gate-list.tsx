import { useGateName } from '../../api/lists.ts';
import type { Statistics } from '../../api/types.ts';
import { Name } from '../../components/name.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

const GATES_SHOWN = 20;

/** Which gate admits and denies how many: the busiest first. */
export function GateList({ gates }: { gates: Statistics['byGate'] }) {
  const { overview } = useTexts();
  const formats = useFormats();
  const keyName = useGateName();
  const most = Math.max(1, ...gates.map(({ admitted, denied }) => admitted + denied));
  const busiest = gates.toSorted((a, b) => b.admitted + b.denied - a.admitted - a.denied);
  return (
    <section className="panel">
      <h2>{overview.byGate}</h2>
      {gates.length === 0 && <p className="dimmed">{overview.noScans}</p>}
      <ul className="gates">
        {busiest.slice(0, GATES_SHOWN).map(({ gate, keyId, serial, admitted, denied }) => (
          <li key={`${keyId} ${gate}`}>
            <div className="gate-text">
              <Name>{serial ?? keyName(keyId)}</Name>
              <span>
                {formats.number(admitted)} {overview.admitted.toLocaleLowerCase()},{' '}
                {formats.number(denied)} {overview.denied.toLocaleLowerCase()}
              </span>
            </div>
            <svg className="gate-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden>
              <rect className="bar-admitted" width={(admitted / most) * 100} height={4} />
              <rect
                className="bar-denied"
                x={(admitted / most) * 100}
                width={(denied / most) * 100}
                height={4}
              />
            </svg>
          </li>
        ))}
      </ul>
    </section>
  );
}

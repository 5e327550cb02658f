import type { Statistics } from '../../api/types.ts';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

/** Why people were denied, the most frequent reason first. */
export function ReasonList({ reasons }: { reasons: Statistics['byReason'] }) {
  const { overview, outcomes, general } = useTexts();
  const formats = useFormats();
  const names: Record<string, string> = outcomes;
  return (
    <section className="panel">
      <h2>{overview.byReason}</h2>
      {reasons.length === 0 && <p className="dimmed">{general.none}</p>}
      <dl className="facts">
        {reasons
          .toSorted((a, b) => b.count - a.count)
          .map(({ reason, count }) => (
            <div key={reason}>
              <dt>{names[reason] ?? reason}</dt>
              <dd>{formats.number(count)}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

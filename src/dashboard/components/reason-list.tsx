import { Link } from 'wouter';
import { queryOf } from '../api/http.ts';
import type { Statistics } from '../api/types.ts';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';

interface ReasonListProps {
  readonly reasons: Statistics['byReason'];
  /** Which scans of the log were counted, as its page takes it. */
  readonly among: Readonly<Record<string, string>>;
}

/** Why people were denied, the most frequent reason first; each leads to its scans. */
export function ReasonList({ reasons, among }: ReasonListProps) {
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
              <dt>
                <Link href={`/log/history${queryOf({ outcome: reason, ...among })}`}>
                  {names[reason] ?? reason}
                </Link>
              </dt>
              <dd>{formats.number(count)}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

import type { ReactNode } from 'react';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';

interface NamedCounts {
  readonly key: string;
  readonly name: ReactNode;
  readonly admitted: number;
  readonly denied: number;
}

/** How many were admitted and denied by each, in words and as bars beside each other. */
export function CountList({ rows }: { rows: readonly NamedCounts[] }) {
  const { overview } = useTexts();
  const formats = useFormats();
  const most = Math.max(1, ...rows.map(({ admitted, denied }) => admitted + denied));
  return (
    <ul className="gates">
      {rows.map(({ key, name, admitted, denied }) => (
        <li key={key}>
          <div className="gate-text">
            {name}
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
  );
}

import { useNameOf } from '../../api/lists.ts';
import { useMay } from '../../api/session.tsx';
import type { CreatedKey, Key } from '../../api/types.ts';
import { StateBadge } from '../../components/badges.tsx';
import { Name } from '../../components/name.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { KeyActions } from './key-actions.tsx';
import { ExpiryWarning, KeyTermFacts } from './key-term-facts.tsx';
import { KeyUsage } from './key-usage.tsx';

/** One key with its state, its scope and its use. */
export function KeyCard({
  apiKey,
  onRotated,
}: {
  apiKey: Key;
  onRotated: (key: CreatedKey) => void;
}) {
  const texts = useTexts();
  const owner = useMay('owner');
  const nameOf = useNameOf('events');
  const { name, type, events, state, createdAt } = apiKey;
  return (
    <li className="panel key-card">
      <div className="card-head">
        <h2>
          <Name>{name}</Name>
        </h2>
        <StateBadge good={state === 'active'} text={texts.keys[state]} />
      </div>
      <dl className="facts">
        <dt>{texts.keys.type}</dt>
        <dd>{type === 'api' ? texts.keys.api : texts.keys.hardware}</dd>
        <dt>{texts.keys.events}</dt>
        <dd>
          {events === 'all' ? (
            texts.keys.allEvents
          ) : (
            <ul className="inline-list">
              {events.map((id) => (
                <li key={id}>
                  <Name>{nameOf(id)}</Name>
                </li>
              ))}
            </ul>
          )}
        </dd>
        <dt>{texts.general.created}</dt>
        <dd>
          <TimeText at={createdAt} />
        </dd>
        <KeyTermFacts apiKey={apiKey} />
      </dl>
      <ExpiryWarning apiKey={apiKey} />
      <KeyUsage usage={apiKey.usage} />
      {owner && <KeyActions apiKey={apiKey} onRotated={onRotated} />}
    </li>
  );
}

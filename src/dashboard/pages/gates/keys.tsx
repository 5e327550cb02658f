import { Alert, Button, Progress } from '@mantine/core';
import { IconAlertTriangle, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { readersText } from '../../../core/direction.ts';
import { useKeys, useNameOf } from '../../api/lists.ts';
import { useMay } from '../../api/session.tsx';
import type { CreatedKey, Key } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { StateBadge } from '../../components/badges.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { MonthWarning } from '../../components/month-warning.tsx';
import { Name } from '../../components/name.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { Answered, Empty, Failure } from '../../components/states.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';
import { CreateKey, EditKey } from './key-dialogs.tsx';
import { CreatedKeyModal, RotateKey } from './key-values.tsx';

const USAGE_EVERY_MS = 10_000;

/** API keys: create, change, enable, disable, delete; and how much of their limits they use (sections 2.1 and 3.1). */
export function KeysPage() {
  const texts = useTexts();
  const owner = useMay('owner');
  const keys = useKeys({ everyMs: USAGE_EVERY_MS });
  const [creating, setCreating] = useState(false);
  // The value lives in this state only: closing the dialogue forgets it.
  const [created, setCreated] = useState<CreatedKey>();
  return (
    <>
      <PageHead title={texts.keys.title}>
        {owner && (
          <Button
            leftSection={<IconPlus size={18} aria-hidden />}
            onClick={() => setCreating(true)}
          >
            {texts.keys.create}
          </Button>
        )}
      </PageHead>
      <Answered asked={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={texts.keys.empty} />
          ) : (
            <ul className="cards">
              {items.map((key) => (
                <KeyCard key={key.id} apiKey={key} onRotated={setCreated} />
              ))}
            </ul>
          )
        }
      </Answered>
      {creating && (
        <CreateKey
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false);
            setCreated(key);
          }}
        />
      )}
      {created && <CreatedKeyModal created={created} onClose={() => setCreated(undefined)} />}
    </>
  );
}

/** One key with its state, its scope and its use. */
function KeyCard({ apiKey, onRotated }: { apiKey: Key; onRotated: (key: CreatedKey) => void }) {
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

/** When a key was used last, until when its values hold, and its readers. */
function KeyTermFacts({ apiKey }: { apiKey: Key }) {
  const { keys } = useTexts();
  const { lastUsedAt, expiresAt, previousUntil, onExit = 'consume' } = apiKey;
  const overlaps = previousUntil !== undefined && Date.parse(previousUntil) > Date.now();
  return (
    <>
      <dt>{keys.lastUsed}</dt>
      <dd>
        <TimeText at={lastUsedAt} />
      </dd>
      {expiresAt && (
        <>
          <dt>{keys.expires}</dt>
          <dd>
            <TimeText at={expiresAt} />
          </dd>
        </>
      )}
      {overlaps && (
        <>
          <dt>{keys.previousUntil}</dt>
          <dd>
            <TimeText at={previousUntil} />
          </dd>
        </>
      )}
      {apiKey.readers && (
        <>
          <dt>{keys.readers}</dt>
          <dd>
            <code>{readersText(apiKey)}</code>
          </dd>
          <dt>{keys.onExit}</dt>
          <dd>{keys.exitRules[onExit]}</dd>
        </>
      )}
    </>
  );
}

/** Shown two weeks before. */
function ExpiryWarning({ apiKey }: { apiKey: Key }) {
  const { keys } = useTexts();
  const formats = useFormats();
  const { expiresSoon, expiresAt } = apiKey;
  if (!expiresSoon || !expiresAt) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
      {keys.expiresSoon(formats.dateTime(expiresAt))}
    </Alert>
  );
}

const WARN_FROM = 0.8;

/** How much of the month's quota is used, and the rate that holds (section 8). */
function KeyUsage({ usage }: { usage: Key['usage'] }) {
  const texts = useTexts();
  const formats = useFormats();
  const share = usage.requestsThisMonth / usage.quota;
  const text = texts.keys.usageOf(
    formats.number(usage.requestsThisMonth),
    formats.number(usage.quota),
  );
  return (
    <div className="usage">
      <div className="usage-text">
        <span>{texts.keys.usage}</span>
        <span>{text}</span>
      </div>
      <Progress.Root>
        <Progress.Section
          value={Math.min(100, share * 100)}
          color={share >= WARN_FROM ? 'red' : 'indigo'}
          aria-label={texts.keys.usage}
          aria-valuetext={text}
        />
      </Progress.Root>
      <MonthWarning usage={usage} />
      <span className="dimmed small">
        {texts.keys.rate(formats.number(usage.ratePerSecond), formats.number(usage.burst))}
      </span>
    </div>
  );
}

type Asking = 'edit' | 'rotate' | 'disable' | 'delete';

/** What an owner can do with a key. Whatever closes gates is asked for a second time. */
function KeyActions({ apiKey, onRotated }: { apiKey: Key; onRotated: (key: CreatedKey) => void }) {
  const { keys, general } = useTexts();
  const [asking, setAsking] = useState<Asking>();
  const enable = useChange('keys');
  const { name, active } = apiKey;
  const path = `/keys/${apiKey.id}`;
  return (
    <div className="card-actions">
      <RowAction text={general.edit} label={keys.edit(name)} onClick={() => setAsking('edit')} />
      <RowAction
        text={active ? keys.disable : keys.enable}
        label={active ? keys.disableNamed(name) : keys.enableNamed(name)}
        loading={enable.isPending}
        onClick={() =>
          active
            ? setAsking('disable')
            : enable.mutate({ method: 'PATCH', path, body: { active: true } })
        }
      />
      <RowAction
        text={keys.rotate}
        label={keys.rotateNamed(name)}
        onClick={() => setAsking('rotate')}
      />
      <RowAction
        danger
        text={general.delete}
        label={keys.delete(name)}
        onClick={() => setAsking('delete')}
      />
      {enable.error && <Failure error={enable.error} />}
      {asking === 'rotate' && (
        <RotateKey
          apiKey={apiKey}
          onClose={() => setAsking(undefined)}
          onRotated={(rotated) => {
            setAsking(undefined);
            onRotated(rotated);
          }}
        />
      )}
      {asking === 'edit' && <EditKey apiKey={apiKey} onClose={() => setAsking(undefined)} />}
      {(asking === 'disable' || asking === 'delete') && (
        <CloseGates apiKey={apiKey} act={asking} onClose={() => setAsking(undefined)} />
      )}
    </div>
  );
}

interface CloseGatesProps {
  readonly apiKey: Key;
  readonly act: 'disable' | 'delete';
  readonly onClose: () => void;
}

function CloseGates({ apiKey, act, onClose }: CloseGatesProps) {
  const { keys, general } = useTexts();
  const { name, id } = apiKey;
  const path = `/keys/${id}`;
  const isDelete = act === 'delete';
  return (
    <Confirm
      title={isDelete ? keys.deleteTitle : keys.disableTitle}
      submit={isDelete ? general.delete : keys.disable}
      act={
        isDelete ? { method: 'DELETE', path } : { method: 'PATCH', path, body: { active: false } }
      }
      changes={['keys']}
      onClose={onClose}
    >
      {isDelete ? keys.deleteText(name) : keys.disableText(name)}
    </Confirm>
  );
}

import { Alert, Button, NativeSelect, Progress, Radio, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import {
  type Direction,
  EXIT_RULES,
  type ExitRule,
  readersIn,
  readersText,
} from '../../core/direction.ts';
import { OPEN_SECONDS_MAX } from '../../core/limits.ts';
import { useKeys, useNameOf } from '../api/lists.ts';
import { useMay } from '../api/session.tsx';
import type { CreatedKey, Key, Server } from '../api/types.ts';
import { useChange, useRead } from '../api/use-api.ts';
import { RowAction } from '../components/data-table.tsx';
import { Confirm, FormModal } from '../components/dialogs.tsx';
import { NumberField } from '../components/fields.tsx';
import { PageHead } from '../components/page-head.tsx';
import { EventScope } from '../components/permission-fields.tsx';
import { Answered, Empty, Failure } from '../components/states.tsx';
import { Name, StateBadge, TimeText } from '../components/values.tsx';
import { MonthWarning } from '../components/warnings.tsx';
import { fieldFromTime, timeFromField, useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';
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

/** A new key: its type is chosen here for good. */
function CreateKey({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (key: CreatedKey) => void;
}) {
  const { keys, general } = useTexts();
  const [draft, setDraft] = useState(NEW_KEY);
  const create = useChange<CreatedKey>('keys');
  const { type } = draft;
  const body = { type, ...bodyOf(draft, NEW_KEY) };
  return (
    <FormModal
      title={keys.create}
      submit={general.create}
      change={create}
      onClose={onClose}
      onSubmit={() =>
        readersOf(draft) &&
        create.mutate({ method: 'POST', path: '/keys', body }, { onSuccess: onCreated })
      }
    >
      <Radio.Group
        label={keys.type}
        value={type}
        onChange={(value) => setDraft({ ...draft, type: value as KeyDraft['type'] })}
      >
        <div className="choices">
          <Radio value="api" label={keys.api} />
          <Radio value="hardware" label={keys.hardware} />
        </div>
      </Radio.Group>
      <KeyFields draft={draft} onChange={setDraft} />
    </FormModal>
  );
}

/** Changes a key; its type stays what it was created as. */
function EditKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const { keys, general } = useTexts();
  const [before] = useState(() => draftOf(apiKey));
  const [draft, setDraft] = useState<KeyDraft>(before);
  const change = useChange('keys');
  const body = bodyOf(draft, before);
  return (
    <FormModal
      title={<span className="break">{keys.editTitle(apiKey.name)}</span>}
      submit={general.save}
      change={change}
      onClose={onClose}
      onSubmit={() =>
        readersOf(draft) &&
        change.mutate({ method: 'PATCH', path: `/keys/${apiKey.id}`, body }, { onSuccess: onClose })
      }
    >
      <KeyFields draft={draft} onChange={setDraft} />
    </FormModal>
  );
}

interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
}

/** Name and event scope; for hardware also how its doors are opened. */
function KeyFields({ draft, onChange }: KeyFieldsProps) {
  const { general, keys } = useTexts();
  return (
    <>
      <TextInput
        label={general.name}
        required
        data-autofocus
        value={draft.name}
        onChange={(change) => onChange({ ...draft, name: change.currentTarget.value })}
      />
      <EventScope events={draft.events} onChange={(events) => onChange({ ...draft, events })} />
      <TextInput
        type="datetime-local"
        label={keys.expires}
        description={keys.expiresHint}
        value={draft.expires}
        onChange={(change) => onChange({ ...draft, expires: change.currentTarget.value })}
      />
      {draft.type === 'hardware' && <DoorFields draft={draft} onChange={onChange} />}
      {draft.type === 'hardware' && <ReaderFields draft={draft} onChange={onChange} />}
      {draft.type === 'hardware' && <DeviceField draft={draft} onChange={onChange} />}
    </>
  );
}

function DoorFields({ draft, onChange }: KeyFieldsProps) {
  const { keys } = useTexts();
  return (
    <div className="columns">
      <NativeSelect
        label={keys.relay}
        value={draft.relay}
        data={[
          { value: 'auto', label: keys.relayAuto },
          { value: 'in', label: keys.relayIn },
          { value: 'out', label: keys.relayOut },
        ]}
        onChange={(change) =>
          onChange({ ...draft, relay: change.currentTarget.value as KeyDraft['relay'] })
        }
      />
      <NumberField
        label={keys.openSeconds}
        min={1}
        max={OPEN_SECONDS_MAX}
        value={draft.openSeconds}
        onChange={(value) => onChange({ ...draft, openSeconds: value })}
      />
    </div>
  );
}

/** Which way people go, and what happens on the way out. */
function ReaderFields({ draft, onChange }: KeyFieldsProps) {
  const { keys } = useTexts();
  return (
    <div className="columns">
      <TextInput
        label={keys.readers}
        description={keys.readersHint}
        placeholder="0=in,1=out"
        value={draft.readers}
        error={readersOf(draft) ? undefined : keys.readersWrong}
        onChange={(change) => onChange({ ...draft, readers: change.currentTarget.value })}
      />
      <NativeSelect
        label={keys.onExit}
        value={draft.onExit}
        data={EXIT_RULES.map((value) => ({ value, label: keys.exitRules[value] }))}
        onChange={(change) =>
          onChange({ ...draft, onExit: change.currentTarget.value as ExitRule })
        }
      />
    </div>
  );
}

/** The device file of the key; nothing where the server has none and the key neither. */
function DeviceField({ draft, onChange }: KeyFieldsProps) {
  const { keys } = useTexts();
  const server = useRead<Server>('/server');
  const names = [...new Set([...(server.data?.deviceFiles ?? []), draft.device])].filter(Boolean);
  if (names.length === 0) return null;
  return (
    <NativeSelect
      label={keys.device}
      description={keys.deviceHint}
      value={draft.device}
      data={[{ value: '', label: keys.deviceNone }, ...names]}
      onChange={(change) => onChange({ ...draft, device: change.currentTarget.value })}
    />
  );
}

/** What can be set at creation and changed later (section 2.1). */
type KeyDraft = Pick<Key, 'name' | 'type' | 'events' | 'relay' | 'openSeconds'> & {
  /** Such as `0=in,1=out`. */
  readonly readers: string;
  readonly onExit: ExitRule;
  /** The name of a device file; empty for the known models. */
  readonly device: string;
  /** As the field of the form has it, in the viewer's zone; empty for never. */
  readonly expires: string;
};

/** The form of a new key. */
const NEW_KEY: KeyDraft = {
  name: '',
  type: 'api',
  events: 'all',
  relay: 'auto',
  openSeconds: 5,
  readers: '',
  onExit: 'consume',
  device: '',
  expires: '',
};

/** A key as its form shows it. */
export function draftOf(key: Key): KeyDraft {
  const { onExit = 'consume', device = '', expiresAt } = key;
  const readers = readersText(key);
  return { ...key, readers, onExit, device, expires: fieldFromTime(expiresAt) };
}

/** The directions of the form; undefined for a text that names none. */
function readersOf({ readers }: Pick<KeyDraft, 'readers'>): Record<string, Direction> | undefined {
  return readersIn(readers);
}

/** What the server is asked for. @param before the draft that the form began with */
export function bodyOf(draft: KeyDraft, before: KeyDraft): object {
  const { name, events, relay, openSeconds, onExit, device, expires } = draft;
  const expiresAt = expires === '' ? null : timeFromField(expires);
  return {
    name,
    events,
    // An expiry that is over must not keep a key from being renamed.
    ...(expires !== before.expires && { expiresAt }),
    ...(draft.type === 'hardware' && { relay, openSeconds, readers: readersOf(draft), onExit }),
    // A file that this server lacks must not keep a key from being renamed.
    ...(draft.type === 'hardware' && device !== before.device && { device }),
  };
}

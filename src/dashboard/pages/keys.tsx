import { NativeSelect, Progress, Radio, TextInput } from '@mantine/core';
import { useState } from 'react';
import { readersIn } from '../../core/direction.ts';
import { KEY_CHOICE_NAMES, KEY_CHOICES, RELAYS } from '../../core/key-settings.ts';
import { OPEN_SECONDS_MAX } from '../../core/limits.ts';
import type { AnswerOf, CreatedKey, InForce, Key } from '../api/http.ts';
import { useEventName, useKeys } from '../api/lists.ts';
import { useMayCreate } from '../api/site-status.ts';
import { useMay, useRead } from '../api/use-api.tsx';
import {
  ChangeModal,
  Confirm,
  CreateButton,
  Opened,
  RowChange,
  RowConfirm,
  RowDialog,
} from '../components/dialogs.tsx';
import { bound, choicesOf, EventScope, NumberField, useDraft } from '../components/fields.tsx';
import { InForceNotice } from '../components/in-force.tsx';
import { Cards, MonthWarning, Warning } from '../components/page.tsx';
import { PageHead } from '../components/page-head.tsx';
import { NameField } from '../components/people-text.tsx';
import { RowMenu } from '../components/row-menu.tsx';
import { Facts } from '../components/ticket-values.tsx';
import { TimeField } from '../components/time-field.tsx';
import { Name, StateBadge, TimeText } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import type { DeskTexts } from '../i18n/desk-texts.ts';
import { useFormats } from '../i18n/language.tsx';
import { KeyDetails } from './key-details.tsx';
import { draftOf, inputOf, type KeyDraft, NEW_KEY } from './key-draft.ts';
import { CreatedKeyModal, RotateKey } from './key-values.tsx';

const USAGE_EVERY_MS = 10_000;

/** API keys: create, change, enable, disable, delete; and how much of their limits they use (sections 2.1 and 3.1). */
export function KeysPage() {
  const { keys } = useDeskTexts();
  const mayCreate = useMayCreate('owner');
  const asked = useKeys({ everyMs: USAGE_EVERY_MS });
  // The value lives in this state only: closing the dialogue forgets it.
  const [created, setCreated] = useState<CreatedKey>();
  const [changed, setChanged] = useState<InForce>();
  const onChanged = ({ inForce }: Changed) => setChanged(inForce);
  return (
    <>
      <PageHead title={keys.title}>
        {mayCreate && (
          <CreateButton text={keys.create} dialog={<CreateKey onCreated={setCreated} />} />
        )}
      </PageHead>
      <InForceNotice inForce={changed} />
      <Cards
        asked={asked}
        empty={keys.empty}
        card={(key) => (
          <KeyCard
            key={key.id}
            apiKey={key}
            onChanged={onChanged}
            onRotated={(rotated) => {
              setCreated(rotated);
              onChanged(rotated);
            }}
          />
        )}
      />
      <Opened value={() => setCreated(undefined)}>
        {created && <CreatedKeyModal created={created} />}
      </Opened>
    </>
  );
}

/** What an answer says of where the change of a key is in force. */
type Changed = AnswerOf<'DELETE /keys/:id'>;

interface KeyCardProps {
  readonly apiKey: Key;
  readonly onRotated: (key: CreatedKey) => void;
  readonly onChanged: (changed: Changed) => void;
}

/** One key with its state, its scope and its use. */
function KeyCard({ apiKey, ...done }: KeyCardProps) {
  const { keys } = useDeskTexts();
  const owner = useMay('owner');
  const { name, state } = apiKey;
  return (
    <li className="panel">
      <div className="card-head">
        <h2>
          <Name>{name}</Name>
        </h2>
        <StateBadge good={state === 'active'} text={keys[state]} />
      </div>
      <KeyFacts apiKey={apiKey} />
      <ExpiryWarning apiKey={apiKey} />
      <KeyUsage usage={apiKey.usage} />
      <div className="card-actions">
        <RowDialog
          text={keys.details}
          of={name}
          label={keys.detailsOf(name)}
          dialog={<KeyDetails apiKey={apiKey} />}
        />
        {owner && <KeyActions apiKey={apiKey} {...done} />}
      </div>
    </li>
  );
}

/** What it is for, when it was used last, until when its values hold, and its readers. */
function KeyFacts({ apiKey }: { apiKey: Key }) {
  const { keys, general } = useDeskTexts();
  const nameOf = useEventName();
  const { type, events, createdAt, lastUsedAt, expiresAt, previousUntil } = apiKey;
  const { readers } = apiKey;
  const overlaps = previousUntil !== undefined && Date.parse(previousUntil) > Date.now();
  const names = events !== 'all' && (
    <ul className="inline-list">
      {events.map((id) => (
        <li key={id}>
          <Name>{nameOf(id)}</Name>
        </li>
      ))}
    </ul>
  );
  return (
    <Facts
      facts={{
        [keys.type]: keys[type],
        [keys.events]: names || keys.allEvents,
        [general.created]: <TimeText at={createdAt} />,
        [keys.lastUsed]: <TimeText at={lastUsedAt} />,
        [keys.expires]: expiresAt ? <TimeText at={expiresAt} /> : undefined,
        [keys.previousUntil]: overlaps ? <TimeText at={previousUntil} /> : undefined,
        [keys.readers]: readers ? <ReaderWords readers={readers} /> : undefined,
        ...choiceFacts(apiKey, keys.choices),
      }}
    />
  );
}

type ChoiceTexts = DeskTexts['keys']['choices'];

/** What a key chose. What it does at a reader outwards is always said, where it has readers. */
function choiceFacts(apiKey: Key, texts: ChoiceTexts): Record<string, string | undefined> {
  const facts = KEY_CHOICE_NAMES.map((name) => {
    const { label, values }: AnyChoiceTexts = texts[name];
    const chosen = apiKey[name] ?? (apiKey.readers && name === 'onExit' ? 'consume' : undefined);
    return [label, chosen === undefined ? undefined : values[chosen]];
  });
  return Object.fromEntries(facts) as Record<string, string | undefined>;
}

interface AnyChoiceTexts {
  readonly label: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Which reader is at the way in, and which at the way out. */
function ReaderWords({ readers }: { readers: NonNullable<Key['readers']> }) {
  const { log } = useDeskTexts();
  const words = Object.entries(readers).map(([reader, way]) => `${reader}: ${log.directions[way]}`);
  return <span>{words.join(', ')}</span>;
}

/** Shown two weeks before. */
function ExpiryWarning({ apiKey: { expiresSoon, expiresAt } }: { apiKey: Key }) {
  const { keys } = useDeskTexts();
  const formats = useFormats();
  if (!expiresSoon || !expiresAt) return null;
  return <Warning>{keys.expiresSoon(formats.dateTime(expiresAt))}</Warning>;
}

const WARN_FROM = 0.8;

/** How much of the month's quota is used, and the rate that holds (section 8). */
function KeyUsage({ usage }: { usage: Key['usage'] }) {
  const { keys } = useDeskTexts();
  const formats = useFormats();
  const share = usage.requestsThisMonth / usage.quota;
  const text = keys.usageOf(formats.number(usage.requestsThisMonth), formats.number(usage.quota));
  return (
    <div className="usage">
      <div className="usage-text">
        <span>{keys.usage}</span>
        <span>{text}</span>
      </div>
      <Progress.Root>
        <Progress.Section
          value={Math.min(100, share * 100)}
          color={share >= WARN_FROM ? 'red' : 'indigo'}
          aria-label={keys.usage}
          aria-valuetext={text}
        />
      </Progress.Root>
      <MonthWarning usage={usage} />
      <span className="dimmed small">
        {keys.rate(formats.number(usage.ratePerSecond), formats.number(usage.burst))}
      </span>
    </div>
  );
}

/** What an owner can do with a key. Whatever closes gates is asked for a second time. */
function KeyActions({ apiKey, onRotated, onChanged }: KeyCardProps) {
  const { keys, general } = useDeskTexts();
  const { id, name, active } = apiKey;
  return (
    <>
      <RowDialog text={general.edit} of={name} dialog={<EditKey apiKey={apiKey} />} />
      {active ? (
        <RowConfirm
          text={keys.disable}
          of={name}
          title={keys.disableTitle}
          route="PATCH /keys/:id"
          input={{ id, active: false }}
          onDone={onChanged}
        >
          {keys.disableText(name)}
        </RowConfirm>
      ) : (
        <RowChange
          text={keys.enable}
          of={name}
          route="PATCH /keys/:id"
          input={{ id, active: true }}
        />
      )}
      <RowDialog
        text={keys.rotate}
        of={name}
        dialog={<RotateKey apiKey={apiKey} onRotated={onRotated} />}
      />
      <RowMenu
        of={name}
        items={[{ text: general.delete, dialog: <DeleteKey apiKey={apiKey} onDone={onChanged} /> }]}
      />
    </>
  );
}

interface DeleteKeyProps {
  readonly apiKey: Key;
  readonly onDone: (changed: Changed) => void;
}

function DeleteKey({ apiKey: { id, name }, onDone }: DeleteKeyProps) {
  const { keys, general } = useDeskTexts();
  return (
    <Confirm
      title={keys.deleteTitle}
      submit={general.delete}
      route="DELETE /keys/:id"
      input={{ id }}
      onDone={onDone}
    >
      {keys.deleteText(name)}
    </Confirm>
  );
}

interface CreateKeyProps {
  /** The type that is chosen at first. */
  readonly type?: Key['type'];
  readonly onCreated?: (key: CreatedKey) => void;
}

/** A new key: its type is chosen here for good. */
export function CreateKey({ type = 'api', onCreated }: CreateKeyProps) {
  const { keys, general } = useDeskTexts();
  const { draft, setDraft, field } = useDraft({ ...NEW_KEY, type });
  return (
    <ChangeModal
      title={keys.create}
      submit={general.create}
      isBlocked={readersIn(draft.readers) === undefined}
      route="POST /keys"
      input={{ type: draft.type, ...inputOf(draft, NEW_KEY) }}
      onDone={onCreated}
    >
      <Radio.Group label={keys.type} {...field('type')}>
        <div className="choices">
          <Radio value="api" label={keys.api} />
          <Radio value="hardware" label={keys.hardware} />
        </div>
      </Radio.Group>
      <KeyFields draft={draft} onChange={setDraft} />
    </ChangeModal>
  );
}

function EditKey({ apiKey }: { apiKey: Key }) {
  const { keys, general } = useDeskTexts();
  const [before] = useState(() => draftOf(apiKey));
  const { draft, setDraft } = useDraft(before);
  return (
    <ChangeModal
      title={keys.editTitle(apiKey.name)}
      submit={general.save}
      isBlocked={readersIn(draft.readers) === undefined}
      route="PATCH /keys/:id"
      input={{ id: apiKey.id, ...inputOf(draft, before) }}
    >
      <KeyFields draft={draft} onChange={setDraft} />
    </ChangeModal>
  );
}

interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
}

/** Name and event scope; for hardware also how its doors are opened. */
function KeyFields({ draft, onChange }: KeyFieldsProps) {
  const { keys } = useDeskTexts();
  const field = bound(draft, onChange);
  return (
    <>
      <NameField {...field('name')} />
      <EventScope {...field('events')} />
      <TimeField label={keys.expires} description={keys.expiresHint} {...field('expires')} />
      {draft.type === 'hardware' && <HardwareFields draft={draft} onChange={onChange} />}
    </>
  );
}

/** How doors are opened, which way people go, and what happens on the way out. */
function HardwareFields({ draft, onChange }: KeyFieldsProps) {
  const { keys } = useDeskTexts();
  const field = bound(draft, onChange);
  const server = useRead('GET /server');
  const files = [...new Set([...(server.data?.deviceFiles ?? []), draft.device])].filter(Boolean);
  return (
    <>
      <NativeSelect label={keys.relay} data={choicesOf(RELAYS, keys.relays)} {...field('relay')} />
      <NumberField
        label={keys.openSeconds}
        min={1}
        max={OPEN_SECONDS_MAX}
        {...field('openSeconds')}
      />
      <TextInput
        label={keys.readers}
        description={keys.readersHint}
        placeholder="0=in,1=out"
        error={readersIn(draft.readers) ? undefined : keys.readersWrong}
        {...field('readers')}
      />
      {KEY_CHOICE_NAMES.map((name) => {
        const { label, values }: AnyChoiceTexts = keys.choices[name];
        const data = choicesOf(Object.keys(KEY_CHOICES[name].values), values);
        return <NativeSelect key={name} label={label} data={data} {...field(name)} />;
      })}
      {files.length > 0 && (
        <NativeSelect
          label={keys.device}
          description={keys.deviceHint}
          data={[{ value: '', label: keys.deviceNone }, ...files]}
          {...field('device')}
        />
      )}
    </>
  );
}

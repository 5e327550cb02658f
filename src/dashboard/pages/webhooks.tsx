import { Alert, Button, Checkbox, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { WEBHOOK_EVENTS } from '../../core/webhook-events.ts';
import type { ChangedWebhook, Page, Webhook, WebhookDelivery } from '../api/types.ts';
import { useChange, useRead } from '../api/use-api.ts';
import { type Column, DataTable, RowAction } from '../components/data-table.tsx';
import { Confirm, FormModal, ShownOnce } from '../components/dialogs.tsx';
import { useChoices } from '../components/fields.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Answered, Empty, Failure } from '../components/states.tsx';
import { Name, StateBadge, TimeText } from '../components/values.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';

const EVERY_MS = 5000;
/** The one whose deliveries are shown. */
const CHOICES = ['webhook'] as const;

/** Where events of the organisation are sent to, and what became of them. */
export function WebhooksPage() {
  const { webhooks } = useTexts();
  const list = useRead<Page<Webhook>>('/webhooks', { everyMs: EVERY_MS });
  const [creating, setCreating] = useState(false);
  const { chosen, choose } = useChoices(CHOICES);
  const shown = list.data?.items.find(({ id }) => id === chosen.webhook);
  return (
    <>
      <PageHead title={webhooks.title}>
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
          {webhooks.create}
        </Button>
      </PageHead>
      <p className="dimmed">{webhooks.help}</p>
      <Answered asked={list}>
        {({ items }) => (
          <>
            {items.some(({ state }) => state === 'switched_off') && (
              <Alert color="red" role="alert">
                {webhooks.switchedOffText}
              </Alert>
            )}
            {items.length === 0 && <Empty text={webhooks.empty} />}
            <ul className="cards">
              {items.map((webhook) => (
                <WebhookCard
                  key={webhook.id}
                  webhook={webhook}
                  onShow={() => choose({ webhook: webhook.id })}
                />
              ))}
            </ul>
          </>
        )}
      </Answered>
      {shown && <Deliveries webhook={shown} />}
      {creating && <WebhookForm onClose={() => setCreating(false)} />}
    </>
  );
}

function WebhookCard({ webhook, onShow }: { webhook: Webhook; onShow: () => void }) {
  const { webhooks } = useTexts();
  const formats = useFormats();
  const { name, url, state, failingSince, switchedOffAt } = webhook;
  const good = state === 'paused' ? undefined : state === 'active';
  const since = switchedOffAt ?? failingSince;
  return (
    <li className="panel">
      <div className="card-head">
        <h2>
          <Name>{name}</Name>
        </h2>
        <StateBadge text={webhooks.states[state]} good={good} />
      </div>
      <dl className="facts">
        <dt>{webhooks.url}</dt>
        <dd>{url}</dd>
        <dt>{webhooks.delivered}</dt>
        <dd>{formats.number(webhook.delivered)}</dd>
        {since !== null && (
          <>
            <dt>{webhooks.since}</dt>
            <dd>
              <TimeText at={since} />
            </dd>
          </>
        )}
      </dl>
      <WebhookActions webhook={webhook} onShow={onShow} />
    </li>
  );
}

type Asking = 'edit' | 'delete' | 'secret';

/** What an owner can do with a webhook. */
function WebhookActions({ webhook, onShow }: { webhook: Webhook; onShow: () => void }) {
  const { webhooks, keys, general } = useTexts();
  const [asking, setAsking] = useState<Asking>();
  const change = useChange('webhooks');
  const { id, name, state } = webhook;
  const path = `/webhooks/${id}`;
  const runs = state === 'active' || state === 'failing';
  const close = () => setAsking(undefined);
  return (
    <div className="card-actions">
      <TestButton webhook={webhook} />
      <RowAction text={webhooks.deliveries} label={webhooks.deliveriesOf(name)} onClick={onShow} />
      <RowAction text={general.edit} label={keys.edit(name)} onClick={() => setAsking('edit')} />
      <RowAction
        text={runs ? webhooks.pause : webhooks.enable}
        label={runs ? webhooks.pauseNamed(name) : webhooks.enableNamed(name)}
        loading={change.isPending}
        onClick={() => change.mutate({ method: 'PATCH', path, body: { active: !runs } })}
      />
      <RowAction
        text={webhooks.newSecret}
        label={`${webhooks.newSecret}: ${name}`}
        onClick={() => setAsking('secret')}
      />
      <RowAction
        danger
        text={general.delete}
        label={keys.delete(name)}
        onClick={() => setAsking('delete')}
      />
      {change.error && <Failure error={change.error} />}
      {asking === 'edit' && <WebhookForm webhook={webhook} onClose={close} />}
      {asking === 'secret' && <NewSecret webhook={webhook} onClose={close} />}
      {asking === 'delete' && (
        <Confirm
          title={webhooks.deleteTitle}
          submit={general.delete}
          act={{ method: 'DELETE', path }}
          changes={['webhooks']}
          onClose={close}
        >
          {webhooks.deleteText(name)}
        </Confirm>
      )}
    </div>
  );
}

/** Sends a test message, and says beside the button what came of it. */
function TestButton({ webhook: { id, name } }: { webhook: Webhook }) {
  const { webhooks } = useTexts();
  const test = useChange<WebhookDelivery>('webhooks');
  const { data } = test;
  const told =
    data &&
    (data.error === null
      ? webhooks.testGood(data.status ?? 0, data.ms)
      : webhooks.testBad(data.error));
  return (
    <>
      <RowAction
        text={webhooks.test}
        label={webhooks.testNamed(name)}
        loading={test.isPending}
        onClick={() => test.mutate({ method: 'POST', path: `/webhooks/${id}/test`, body: {} })}
      />
      <span role="status" className="break">
        {told}
      </span>
      {test.error && <Failure error={test.error} />}
    </>
  );
}

function NewSecret({ webhook: { id, name }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { webhooks } = useTexts();
  const change = useChange<ChangedWebhook>('webhooks');
  const title = webhooks.secretTitle(name);
  if (change.data?.secret !== undefined) {
    const { secret } = change.data;
    return <ShownOnce title={title} label={webhooks.secret} value={secret} onClose={onClose} />;
  }
  const call = { method: 'PATCH', path: `/webhooks/${id}`, body: { newSecret: true } } as const;
  return (
    <FormModal
      title={title}
      submit={webhooks.newSecret}
      change={change}
      onClose={onClose}
      onSubmit={() => change.mutate(call)}
    >
      <p>{webhooks.newSecretText}</p>
    </FormModal>
  );
}

/** A new webhook, or the settings of one; a new secret is shown this once. */
function WebhookForm({ webhook, onClose }: { webhook?: Webhook; onClose: () => void }) {
  const { webhooks, general } = useTexts();
  const [draft, setDraft] = useState({
    name: webhook?.name ?? '',
    url: webhook?.url ?? '',
    events: webhook?.events ?? [...WEBHOOK_EVENTS],
  });
  const change = useChange<ChangedWebhook>('webhooks');
  const { data } = change;
  if (data?.secret !== undefined) {
    return (
      <ShownOnce
        title={webhooks.createdTitle(data.name)}
        label={webhooks.secret}
        value={data.secret}
        onClose={onClose}
      />
    );
  }
  const call = webhook
    ? ({ method: 'PATCH', path: `/webhooks/${webhook.id}`, body: draft } as const)
    : ({ method: 'POST', path: '/webhooks', body: draft } as const);
  return (
    <FormModal
      title={webhook ? webhooks.editTitle(webhook.name) : webhooks.create}
      submit={webhook ? general.save : general.create}
      change={change}
      onClose={onClose}
      onSubmit={() => change.mutate(call, webhook ? { onSuccess: onClose } : {})}
    >
      <TextInput
        label={general.name}
        required
        data-autofocus
        value={draft.name}
        onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
      />
      <TextInput
        label={webhooks.url}
        required
        type="url"
        pattern="https://.*"
        value={draft.url}
        onChange={(event) => setDraft({ ...draft, url: event.currentTarget.value })}
      />
      <Checkbox.Group
        label={webhooks.events}
        value={[...draft.events]}
        onChange={(events) => setDraft({ ...draft, events })}
        className="chosen-events"
      >
        {WEBHOOK_EVENTS.map((event) => (
          <Checkbox key={event} value={event} label={webhooks.eventNames[event]} />
        ))}
      </Checkbox.Group>
    </FormModal>
  );
}

const DELIVERIES_EVERY_MS = 5000;

/** The latest attempts of a webhook. */
function Deliveries({ webhook: { id, name } }: { webhook: Webhook }) {
  const { webhooks } = useTexts();
  const path = `/webhooks/${id}/deliveries`;
  const list = useRead<Page<WebhookDelivery>>(path, { everyMs: DELIVERIES_EVERY_MS });
  const columns = useDeliveryColumns();
  const title = webhooks.deliveriesOf(name);
  return (
    <>
      <h2 className="break">{title}</h2>
      <Answered asked={list}>
        {({ items }) => (
          <DataTable
            empty={webhooks.noDeliveries}
            label={title}
            columns={columns}
            rows={items}
            keyOf={({ id: message, at, attempt }) => `${message} ${at} ${attempt}`}
          />
        )}
      </Answered>
    </>
  );
}

function useDeliveryColumns(): Column<WebhookDelivery>[] {
  const { webhooks } = useTexts();
  const names: Readonly<Record<string, string>> = webhooks.eventNames;
  return [
    { title: webhooks.time, cell: ({ at }) => <TimeText at={at} /> },
    { title: webhooks.event, cell: ({ type }) => names[type] ?? type },
    { title: webhooks.attempt, end: true, cell: ({ attempt }) => attempt },
    {
      title: webhooks.result,
      rest: true,
      cell: ({ status, error }) => (
        <StateBadge text={error ?? `HTTP ${status}`} good={error === null} />
      ),
    },
    { title: webhooks.took, end: true, cell: ({ ms }) => `${ms} ms` },
  ];
}

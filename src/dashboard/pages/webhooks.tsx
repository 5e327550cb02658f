import { Alert, Button, Checkbox, TextInput } from '@mantine/core';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../core/administrative-records.ts';
import type { Webhook, WebhookDelivery } from '../api/http.ts';
import { useChange, useRead } from '../api/use-api.tsx';
import { type Column, ListTable, Unfolding } from '../components/data-table.tsx';
import {
  Confirm,
  CreateButton,
  FormModal,
  RowChange,
  RowDialog,
  ShownOnce,
  useClose,
} from '../components/dialogs.tsx';
import { useChoices, useDraft } from '../components/fields.tsx';
import { Cards, Failure } from '../components/page.tsx';
import { PageHead } from '../components/page-head.tsx';
import { NameField } from '../components/people-text.tsx';
import { RowMenu } from '../components/row-menu.tsx';
import { Facts } from '../components/ticket-values.tsx';
import { Name, StateBadge, TimeText } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';

const EVERY_MS = 5000;
/** The one whose deliveries are shown. */
const CHOICES = ['webhook'] as const;

/** Where events of the organisation are sent to, and what became of them. */
export function WebhooksPage() {
  const { navigation, webhooks } = useDeskTexts();
  const list = useRead('GET /webhooks', {}, { everyMs: EVERY_MS });
  const { chosen, choose } = useChoices(CHOICES);
  const shown = list.data?.items.find(({ id }) => id === chosen.webhook);
  return (
    <>
      <PageHead title={navigation.webhooks}>
        <CreateButton text={webhooks.create} dialog={<WebhookForm />} />
      </PageHead>
      <p className="dimmed">{webhooks.help}</p>
      {list.data?.items.some(({ state }) => state === 'switched_off') && (
        <Alert color="red" role="alert">
          {webhooks.switchedOffText}
        </Alert>
      )}
      <Cards
        asked={list}
        empty={webhooks.empty}
        card={(webhook) => (
          <WebhookCard
            key={webhook.id}
            webhook={webhook}
            onShow={() => choose({ webhook: webhook.id })}
          />
        )}
      />
      {shown && <Deliveries webhook={shown} />}
    </>
  );
}

interface WebhookCardProps {
  readonly webhook: Webhook;
  readonly onShow: () => void;
}

function WebhookCard({ webhook, onShow }: WebhookCardProps) {
  const { webhooks } = useDeskTexts();
  const formats = useFormats();
  const { name, url, state, failingSince, nextAttemptAt, switchedOffAt } = webhook;
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
      <Facts
        facts={{
          [webhooks.url]: url,
          [webhooks.delivered]: formats.number(webhook.delivered),
          [webhooks.since]: since === null ? undefined : <TimeText at={since} />,
          [webhooks.nextAttempt]:
            nextAttemptAt === null ? undefined : <TimeText at={nextAttemptAt} only="seconds" />,
        }}
      />
      <WebhookActions webhook={webhook} onShow={onShow} />
    </li>
  );
}

/** What an owner can do with a webhook. */
function WebhookActions({ webhook, onShow }: WebhookCardProps) {
  const { webhooks, general } = useDeskTexts();
  const { id, name, state } = webhook;
  const runs = state === 'active' || state === 'failing';
  const deletion = (
    <Confirm
      title={webhooks.deleteTitle}
      submit={general.delete}
      route="DELETE /webhooks/:id"
      input={{ id }}
    >
      {webhooks.deleteText(name)}
    </Confirm>
  );
  return (
    <div className="card-actions">
      <TestButton webhook={webhook} />
      <Button size="xs" variant="default" aria-label={webhooks.deliveriesOf(name)} onClick={onShow}>
        {webhooks.deliveries}
      </Button>
      <RowDialog text={general.edit} of={name} dialog={<WebhookForm webhook={webhook} />} />
      <RowChange
        text={runs ? webhooks.pause : webhooks.enable}
        of={name}
        route="PATCH /webhooks/:id"
        input={{ id, active: !runs }}
      />
      <RowDialog
        text={webhooks.newSecret}
        of={name}
        label={`${webhooks.newSecret}: ${name}`}
        dialog={<NewSecret webhook={webhook} />}
      />
      <RowMenu of={name} items={[{ text: general.delete, dialog: deletion }]} />
    </div>
  );
}

/** Sends a test message, and says beside the button what came of it. */
function TestButton({ webhook: { id, name } }: { webhook: Webhook }) {
  const { webhooks } = useDeskTexts();
  const test = useChange('POST /webhooks/:id/test');
  const { data } = test;
  const told =
    data &&
    (data.error === null
      ? webhooks.testGood(data.status ?? 0, data.ms)
      : webhooks.testBad(data.error));
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={`${webhooks.test}: ${name}`}
        loading={test.isPending}
        onClick={() => test.mutate({ id })}
      >
        {webhooks.test}
      </Button>
      <span role="status" className="break">
        {told}
      </span>
      {test.error && <Failure error={test.error} />}
    </>
  );
}

interface WebhookFormProps {
  readonly webhook?: Webhook;
}

function NewSecret({ webhook: { id, name } }: Required<WebhookFormProps>) {
  const { webhooks } = useDeskTexts();
  const change = useChange('PATCH /webhooks/:id');
  const title = webhooks.secretTitle(name);
  const secret = change.data?.secret;
  if (secret !== undefined) {
    return <ShownOnce title={title} label={webhooks.secret} value={secret} />;
  }
  return (
    <FormModal
      title={title}
      submit={webhooks.newSecret}
      change={change}
      onSubmit={() => change.mutate({ id, newSecret: true })}
    >
      <p>{webhooks.newSecretText}</p>
    </FormModal>
  );
}

/** A new webhook, or the settings of one; a new secret is shown this once. */
function WebhookForm({ webhook }: WebhookFormProps) {
  const { webhooks, general } = useDeskTexts();
  const { draft, field } = useDraft({
    name: webhook?.name ?? '',
    url: webhook?.url ?? '',
    events: (webhook?.events ?? [...WEBHOOK_EVENTS]) as WebhookEvent[],
  });
  const close = useClose();
  const create = useChange('POST /webhooks');
  const edit = useChange('PATCH /webhooks/:id');
  const { data } = create;
  if (data?.secret !== undefined) {
    const title = webhooks.createdTitle(data.name);
    const label = webhooks.secret;
    return <ShownOnce title={title} label={label} value={data.secret} />;
  }
  return (
    <FormModal
      title={webhook ? webhooks.editTitle(webhook.name) : webhooks.create}
      submit={webhook ? general.save : general.create}
      change={webhook ? edit : create}
      onSubmit={() =>
        webhook
          ? edit.mutate({ id: webhook.id, ...draft }, { onSuccess: close })
          : create.mutate(draft)
      }
    >
      <NameField {...field('name')} />
      <TextInput
        label={webhooks.url}
        required
        type="url"
        pattern="https://.*"
        placeholder="https://…"
        {...field('url')}
      />
      <Checkbox.Group
        label={webhooks.events}
        value={[...draft.events]}
        onChange={field('events').onChange}
        className="chosen-events"
      >
        {WEBHOOK_EVENTS.map((event) => (
          <Checkbox key={event} value={event} label={webhooks.eventNames[event]} />
        ))}
      </Checkbox.Group>
    </FormModal>
  );
}

/** The latest attempts of a webhook. */
function Deliveries({ webhook: { id, name, nextAttemptAt } }: { webhook: Webhook }) {
  const { webhooks } = useDeskTexts();
  const list = useRead('GET /webhooks/:id/deliveries', { id }, { everyMs: EVERY_MS });
  const columns = useDeliveryColumns();
  const title = webhooks.deliveriesOf(name);
  const [latest] = list.data?.items ?? [];
  return (
    <>
      <h2 className="break">{title}</h2>
      {/* Rows have one line each: the failure that somebody looks for stands here whole. */}
      {latest?.error != null && (
        <Alert color="red" role="status" className="break">
          {webhooks.testBad(latest.error)}{' '}
          {nextAttemptAt !== null && (
            <>
              {webhooks.nextAttempt} <TimeText at={nextAttemptAt} only="seconds" />
            </>
          )}
        </Alert>
      )}
      <ListTable
        asked={list}
        empty={webhooks.noDeliveries}
        label={title}
        columns={columns}
        keyOf={({ id: message, at, attempt }) => `${message} ${at} ${attempt}`}
      />
    </>
  );
}

function useDeliveryColumns(): Column<WebhookDelivery>[] {
  const { webhooks } = useDeskTexts();
  const names: Readonly<Record<string, string>> = webhooks.eventNames;
  return [
    { title: webhooks.time, cell: ({ at }) => <TimeText at={at} only="seconds" /> },
    { title: webhooks.event, cell: ({ type }) => names[type] ?? type },
    { title: webhooks.attempt, end: true, cell: ({ attempt }) => attempt },
    {
      title: webhooks.result,
      rest: true,
      cell: ({ status, error }) =>
        error === null ? (
          <StateBadge text={`HTTP ${status}`} good />
        ) : (
          <Unfolding>{error}</Unfolding>
        ),
    },
    { title: webhooks.took, end: true, cell: ({ ms }) => `${ms} ms` },
  ];
}

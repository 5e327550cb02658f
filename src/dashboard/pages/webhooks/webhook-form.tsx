import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { WEBHOOK_EVENTS } from '../../../core/webhook-events.ts';
import type { ChangedWebhook, Webhook } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { useTexts } from '../../i18n/language.tsx';

/** A new webhook, or the settings of one; a new secret is shown this once. */
export function WebhookForm({ webhook, onClose }: { webhook?: Webhook; onClose: () => void }) {
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

import { Alert, Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { Page, Webhook } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { StateBadge } from '../../components/badges.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Name } from '../../components/name.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Answered } from '../../components/states.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookForm } from './webhook-form.tsx';

const EVERY_MS = 5000;

/** Where events of the organisation are sent to, and what became of them. */
export function WebhooksPage() {
  const { webhooks } = useTexts();
  const list = useRead<Page<Webhook>>('/webhooks', { everyMs: EVERY_MS });
  const [creating, setCreating] = useState(false);
  const [shown, setShown] = useState<string>();
  const columns = useColumns(setShown);
  const chosen = list.data?.items.find(({ id }) => id === shown);
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
            <DataTable
              empty={webhooks.empty}
              label={webhooks.title}
              columns={columns}
              rows={items}
              keyOf={({ id }) => id}
            />
          </>
        )}
      </Answered>
      {chosen && <Deliveries webhook={chosen} />}
      {creating && <WebhookForm onClose={() => setCreating(false)} />}
    </>
  );
}

function useColumns(onShow: (id: string) => void): Column<Webhook>[] {
  const { webhooks, general } = useTexts();
  const formats = useFormats();
  return [
    { title: general.name, cell: ({ name }) => <Name>{name}</Name> },
    { title: webhooks.url, cell: ({ url }) => <span className="break">{url}</span> },
    { title: general.state, cell: (webhook) => <State webhook={webhook} /> },
    { title: webhooks.delivered, end: true, cell: ({ delivered }) => formats.number(delivered) },
    {
      title: general.actions,
      cell: (webhook) => <WebhookActions webhook={webhook} onShow={() => onShow(webhook.id)} />,
    },
  ];
}

function State({ webhook: { state, failingSince, switchedOffAt } }: { webhook: Webhook }) {
  const { webhooks } = useTexts();
  const good = state === 'paused' ? undefined : state === 'active';
  const since = switchedOffAt ?? failingSince;
  return (
    <>
      <StateBadge text={webhooks.states[state]} good={good} />{' '}
      {since !== null && <TimeText at={since} />}
    </>
  );
}

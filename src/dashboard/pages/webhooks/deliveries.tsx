import type { Page, Webhook, WebhookDelivery } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { StateBadge } from '../../components/badges.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Answered } from '../../components/states.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useTexts } from '../../i18n/language.tsx';

const EVERY_MS = 5000;

/** The latest attempts of a webhook. */
export function Deliveries({ webhook: { id, name } }: { webhook: Webhook }) {
  const { webhooks } = useTexts();
  const path = `/webhooks/${id}/deliveries`;
  const list = useRead<Page<WebhookDelivery>>(path, { everyMs: EVERY_MS });
  const columns = useColumns();
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

function useColumns(): Column<WebhookDelivery>[] {
  const { webhooks } = useTexts();
  const names: Readonly<Record<string, string>> = webhooks.eventNames;
  return [
    { title: webhooks.time, cell: ({ at }) => <TimeText at={at} /> },
    { title: webhooks.event, cell: ({ type }) => names[type] ?? type },
    { title: webhooks.attempt, end: true, cell: ({ attempt }) => attempt },
    {
      title: webhooks.result,
      cell: ({ status, error }) => (
        <StateBadge text={error ?? `HTTP ${status}`} good={error === null} />
      ),
    },
    { title: webhooks.took, end: true, cell: ({ ms }) => `${ms} ms` },
  ];
}

import { useState } from 'react';
import type { ChangedWebhook, Webhook, WebhookDelivery } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { Confirm } from '../../components/confirm.tsx';
import { FormModal } from '../../components/form-modal.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { Failure } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { WebhookForm } from './webhook-form.tsx';

type Asking = 'edit' | 'delete' | 'secret';

/** What an owner can do with a webhook. */
export function WebhookActions({ webhook, onShow }: { webhook: Webhook; onShow: () => void }) {
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

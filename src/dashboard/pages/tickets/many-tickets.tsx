import { Alert, Button, Modal } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type Call, callForFile } from '../../api/http.ts';
import { useMay } from '../../api/session.tsx';
import type { Erased, ManyDone } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { Confirm } from '../../components/confirm.tsx';
import { FormModal } from '../../components/form-modal.tsx';
import { Failure } from '../../components/states.tsx';
import { pageZone } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

/** Which tickets a list shows. */
export type TicketFilter = Readonly<Record<'event' | 'state' | 'search' | 'batch', string>>;

interface BulkActionsProps {
  readonly selected: ReadonlySet<string>;
  readonly onDone: () => void;
}

const CHANGED = ['tickets', 'log'] as const;

/** Cancels or reinstates all selected tickets. */
export function BulkActions({ selected, onDone }: BulkActionsProps) {
  const { tickets } = useTexts();
  const [asking, setAsking] = useState(false);
  const reinstate = useChange(...CHANGED);
  const act = (action: 'cancel' | 'reinstate'): Call => ({
    method: 'POST',
    path: `/tickets/${action}`,
    body: { ids: [...selected] },
  });
  if (selected.size === 0) return null;
  return (
    <div className="bulk">
      <span role="status">{tickets.selected(selected.size)}</span>
      <Button size="xs" color="red" variant="light" onClick={() => setAsking(true)}>
        {tickets.cancelTicket}
      </Button>
      <Button
        size="xs"
        variant="default"
        onClick={() => reinstate.mutate(act('reinstate'), { onSuccess: onDone })}
      >
        {tickets.reinstate}
      </Button>
      <EraseHolders size="xs" ids={[...selected]} onDone={onDone} />
      {reinstate.error && <Failure error={reinstate.error} />}
      {asking && (
        <Confirm
          title={tickets.cancelTitle}
          submit={tickets.cancelTicket}
          dismiss={tickets.keep}
          act={act('cancel')}
          changes={CHANGED}
          onClose={() => setAsking(false)}
          onDone={onDone}
        >
          {tickets.bulkCancelText(selected.size)}
        </Confirm>
      )}
    </div>
  );
}

type ManyAct = 'cancel' | 'delete';

/** Cancels or deletes all tickets of the event or the batch that is shown. */
export function ManyActions({ filter }: { filter: TicketFilter }) {
  const { tickets } = useTexts();
  const [asking, setAsking] = useState<ManyAct>();
  const selected = selectionOf(filter);
  if (!selected) return null;
  return (
    <div className="bulk">
      <Button size="xs" color="red" variant="light" onClick={() => setAsking('cancel')}>
        {tickets.manyCancel}
      </Button>
      <Button size="xs" color="red" variant="subtle" onClick={() => setAsking('delete')}>
        {tickets.manyDelete}
      </Button>
      {asking && (
        <ChangeMany act={asking} selected={selected} onClose={() => setAsking(undefined)} />
      )}
    </div>
  );
}

/** All of an event or of a batch, and nothing else that the filter says: what is shown is what changes. */
function selectionOf({ event, batch, state, search }: TicketFilter): object | undefined {
  if (state || search) return undefined;
  if (batch && !event) return { batch };
  return event && !batch ? { event } : undefined;
}

interface ChangeManyProps {
  readonly act: ManyAct;
  readonly selected: object;
  readonly onClose: () => void;
}

/** Asks, then goes on step by step until the server says that all are done. */
function ChangeMany({ act, selected, onClose }: ChangeManyProps) {
  const { tickets, general } = useTexts();
  const step = useChange<ManyDone>('tickets', 'events');
  const [running, setRunning] = useState(false);
  const [done, setDone] = useState<{ changed: number; kept: number }>();
  const run = async () => {
    setRunning(true);
    const sum = { changed: 0, kept: 0 };
    try {
      let after: string | null = null;
      do {
        const body: object = { ...selected, after };
        const one: ManyDone = await step.mutateAsync({
          method: 'POST',
          path: `/tickets/${act}`,
          body,
        });
        sum.changed += one.changed;
        sum.kept += one.kept;
        after = one.next;
      } while (after !== null);
      setDone(sum);
    } catch {
      // The form shows why: the change holds the error.
    } finally {
      setRunning(false);
    }
  };
  const isCancel = act === 'cancel';
  return (
    <FormModal
      danger={!done}
      title={isCancel ? tickets.manyCancel : tickets.manyDelete}
      submit={done ? general.close : isCancel ? tickets.manyCancel : tickets.manyDelete}
      change={{ isPending: running, error: step.error }}
      onClose={onClose}
      onSubmit={() => (done ? onClose() : void run())}
    >
      {done ? (
        <Alert color="green" role="status">
          {tickets.manyDone(done.changed, done.kept)}
        </Alert>
      ) : (
        <p className="break">{isCancel ? tickets.manyCancelText : tickets.manyDeleteText}</p>
      )}
    </FormModal>
  );
}

/** The most tickets that one request erases. */
const ERASED_AT_ONCE_MAX = 100;

interface EraseHoldersProps {
  readonly ids: readonly string[];
  /** False when nothing is left to erase; what was erased stays on the screen. */
  readonly isOffered?: boolean;
  readonly size?: 'xs' | 'sm';
  readonly onDone?: () => void;
}

/** For owners: erases the names of guests, after saying what that does and what it cannot do. */
export function EraseHolders({ ids, isOffered = true, size = 'sm', onDone }: EraseHoldersProps) {
  const { tickets } = useTexts();
  const owner = useMay('owner');
  const [asking, setAsking] = useState(false);
  if (!owner) return null;
  const close = (isDone: boolean) => {
    setAsking(false);
    if (isDone) onDone?.();
  };
  return (
    <>
      {isOffered && (
        <Button
          size={size}
          color="red"
          variant={size === 'xs' ? 'light' : 'subtle'}
          disabled={ids.length > ERASED_AT_ONCE_MAX}
          onClick={() => setAsking(true)}
        >
          {tickets.eraseHolders(ids.length)}
        </Button>
      )}
      {asking && <AskToErase ids={ids} onClose={close} />}
    </>
  );
}

function AskToErase({
  ids,
  onClose,
}: {
  readonly ids: readonly string[];
  readonly onClose: (isDone: boolean) => void;
}) {
  const { tickets } = useTexts();
  const erase = useChange<Erased>('tickets', 'audit-trail');
  if (erase.data) return <AfterErasing erased={erase.data} onClose={() => onClose(true)} />;
  const path = '/tickets/erase-holders';
  return (
    <FormModal
      danger
      title={tickets.eraseTitle(ids.length)}
      submit={tickets.eraseHolders(ids.length)}
      dismiss={tickets.eraseKeep}
      change={erase}
      onClose={() => onClose(false)}
      onSubmit={() => erase.mutate({ method: 'POST', path, body: { ids } })}
    >
      <p>{tickets.eraseText}</p>
      <p>{tickets.eraseLimits}</p>
    </FormModal>
  );
}

function AfterErasing({ erased, onClose }: { erased: Erased; onClose: () => void }) {
  const { tickets, general } = useTexts();
  return (
    <Modal
      opened
      onClose={onClose}
      title={tickets.eraseDone}
      closeButtonProps={{ 'aria-label': general.close }}
    >
      <div className="form">
        <p role="status">{tickets.erased(erased.erased)}</p>
        {!erased.isPurged && <p>{tickets.eraseNotPurged}</p>}
        <div className="form-buttons">
          <Button data-autofocus onClick={onClose}>
            {general.close}
          </Button>
        </div>
      </div>
    </Modal>
  );
}

/** Tickets as one PDF to print, in the organisation's language. */
export function PrintAll({ ids }: { readonly ids: readonly string[] }) {
  const { paper } = useTexts();
  const print = useMutation({
    mutationFn: async () => {
      const body = { ids, timeZone: pageZone() };
      return callForFile({ method: 'POST', path: '/tickets/sheet.pdf', body });
    },
    onSuccess: (pdf) => save(pdf, 'tickets.pdf'),
  });
  return (
    <>
      {print.error && <Failure error={print.error} />}
      <Button
        variant="default"
        leftSection={<IconPrinter size={18} aria-hidden />}
        loading={print.isPending}
        onClick={() => print.mutate()}
      >
        {paper.all}
      </Button>
    </>
  );
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

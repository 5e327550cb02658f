import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useState } from 'react';
import { bothInForce, type InForceAt } from '../../core/in-force.ts';
import type { AnswerOf, Erased, InForce, Input } from '../api/http.ts';
import { useChange, useMay } from '../api/use-api.tsx';
import {
  ChangeButton,
  ChangeModal,
  ConfirmButton,
  DialogButton,
  FormModal,
  Opened,
  PlainModal,
  useClose,
} from '../components/dialogs.tsx';
import { InForceNotice } from '../components/in-force.tsx';
import { Done } from '../components/page.tsx';
import { saveFile } from '../components/save-file.ts';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { pageZone } from '../i18n/formats.ts';

/** Which tickets a list shows. */
export type TicketFilter = Readonly<
  Record<'event' | 'state' | 'search' | 'batch' | 'reference', string>
>;

interface BulkActionsProps {
  readonly selected: ReadonlySet<string>;
  readonly onDone: () => void;
}

const CANCEL = { size: 'xs', color: 'red', variant: 'light' } as const;

/** Cancels or reinstates all selected tickets. */
export function BulkActions({ selected, onDone }: BulkActionsProps) {
  const { tickets } = useDeskTexts();
  const [inForce, setInForce] = useState<InForce>();
  const ids = [...selected];
  const onChanged = (changed: { readonly inForce?: InForce }) => {
    setInForce(changed.inForce);
    onDone();
  };
  if (ids.length === 0) return <InForceNotice inForce={inForce} />;
  return (
    <div className="bulk">
      <span role="status">{tickets.selected(ids.length)}</span>
      <ConfirmButton
        text={tickets.cancelTicket}
        look={CANCEL}
        title={tickets.cancelTitle}
        dismiss={tickets.keep}
        route="POST /tickets/cancel"
        input={{ ids }}
        alsoStale={['log']}
        onDone={onChanged}
      >
        {tickets.bulkCancelText(ids.length)}
      </ConfirmButton>
      <ChangeButton
        size="xs"
        variant="default"
        route="POST /tickets/reinstate"
        input={{ ids }}
        alsoStale={['log']}
        onDone={onChanged}
      >
        {tickets.reinstate}
      </ChangeButton>
      <EraseHolders size="xs" ids={ids} onDone={onDone} />
    </div>
  );
}

interface ManyActionsProps {
  readonly filter: TicketFilter;
  /** Nothing matches the filter, so that there is nothing to change. */
  readonly isNone: boolean;
}

/** Cancels, reinstates or deletes all tickets of the event, the batch or the reference that is shown. */
export function ManyActions({ filter, isNone }: ManyActionsProps) {
  const { tickets } = useDeskTexts();
  const selected = selectionOf(filter);
  if (!selected || isNone) return null;
  return (
    <div className="bulk">
      <DialogButton {...CANCEL} dialog={<ChangeMany act="cancel" selected={selected} />}>
        {tickets.manyCancel}
      </DialogButton>
      <DialogButton
        size="xs"
        variant="default"
        dialog={<ChangeMany act="reinstate" selected={selected} />}
      >
        {tickets.manyReinstate}
      </DialogButton>
      <DialogButton
        {...CANCEL}
        variant="subtle"
        dialog={<ChangeMany act="delete" selected={selected} />}
      >
        {tickets.manyDelete}
      </DialogButton>
    </div>
  );
}

/** All of a batch, or of an event, a reference or both, and nothing else that the filter says: what is shown is what changes. */
function selectionOf({ event, batch, reference, state, search }: TicketFilter): Input | undefined {
  if (state || search) return undefined;
  if (batch) return event || reference ? undefined : { batch };
  if (!event && !reference) return undefined;
  return { ...(event && { event }), ...(reference && { reference }) };
}

type ManyAct = 'cancel' | 'reinstate' | 'delete';

/** What is done to many tickets: its name, and what it does. */
function useActTexts(act: ManyAct): readonly [title: string, text: string] {
  const { tickets } = useDeskTexts();
  if (act === 'cancel') return [tickets.manyCancel, tickets.manyCancelText];
  if (act === 'reinstate') return [tickets.manyReinstate, tickets.manyReinstateText];
  return [tickets.manyDelete, tickets.manyDeleteText];
}

interface ManyChanged {
  changed: number;
  kept: number;
  inForce: InForceAt<string> | undefined;
}

type ManyStep = Pick<AnswerOf<'POST /tickets/cancel'>, 'changed' | 'kept' | 'next' | 'inForce'>;

/** Asks, then goes on step by step until the server says that all are done. */
function ChangeMany({ act, selected }: { act: ManyAct; selected: Input }) {
  const { tickets, general } = useDeskTexts();
  const step = useChange(`POST /tickets/${act}`, 'events');
  const close = useClose();
  const [running, setRunning] = useState(false);
  const [done, setDone] = useState<ManyChanged>();
  const run = async () => {
    setRunning(true);
    const sum: ManyChanged = { changed: 0, kept: 0, inForce: undefined };
    try {
      let after: string | null = null;
      do {
        const input: Input = { ...selected, after };
        const one: ManyStep = await step.mutateAsync(input);
        sum.changed += one.changed;
        sum.kept += one.kept;
        sum.inForce = bothInForce(sum.inForce, one.inForce);
        after = one.next;
      } while (after !== null);
      setDone(sum);
    } catch {
      // The form shows why: the change holds the error.
    } finally {
      setRunning(false);
    }
  };
  const [title, text] = useActTexts(act);
  return (
    <FormModal
      danger={!done && act !== 'reinstate'}
      title={title}
      submit={done ? general.close : title}
      dismiss={done ? null : tickets.leaveThem}
      change={{ isPending: running, error: step.error }}
      onSubmit={() => (done ? close() : void run())}
    >
      {done ? (
        <>
          <Done text={tickets.manyDone(done.changed, done.kept)} />
          <InForceNotice inForce={done.inForce} />
        </>
      ) : (
        <p className="break">{text}</p>
      )}
    </FormModal>
  );
}

/** The most tickets that one request erases. */
const ERASED_AT_ONCE_MAX = 100;

interface EraseHoldersProps {
  readonly ids: readonly string[];
  readonly size?: 'xs' | 'sm';
  readonly onDone?: () => void;
}

/** Lets owners erase the names of guests, after saying what that does and what it cannot do. */
export function EraseHolders({ ids, size = 'sm', onDone }: EraseHoldersProps) {
  const { tickets } = useDeskTexts();
  const owner = useMay('owner');
  const [erased, setErased] = useState<Erased>();
  if (!owner) return null;
  const close = () => {
    setErased(undefined);
    onDone?.();
  };
  return (
    <>
      {ids.length > 0 && (
        <DialogButton
          size={size}
          color="red"
          variant={size === 'xs' ? 'light' : 'subtle'}
          disabled={ids.length > ERASED_AT_ONCE_MAX}
          dialog={
            <ChangeModal
              danger
              title={tickets.eraseTitle(ids.length)}
              submit={tickets.eraseHolders(ids.length)}
              dismiss={tickets.eraseKeep}
              route="POST /tickets/erase-holders"
              input={{ ids: [...ids] }}
              alsoStale={['audit-log']}
              onDone={setErased}
            >
              <p>{tickets.eraseText}</p>
              <p>{tickets.eraseLimits}</p>
            </ChangeModal>
          }
        >
          {tickets.eraseHolders(ids.length)}
        </DialogButton>
      )}
      <Opened value={close}>{erased && <AfterErasing erased={erased} />}</Opened>
    </>
  );
}

function AfterErasing({ erased }: { erased: Erased }) {
  const { tickets, general } = useDeskTexts();
  return (
    <PlainModal title={tickets.eraseDone}>
      <div className="form">
        <p role="status">{tickets.erased(erased.erased)}</p>
        {!erased.isPurged && <p>{tickets.eraseNotPurged}</p>}
        <div className="form-buttons">
          <Button data-autofocus onClick={useClose()}>
            {general.close}
          </Button>
        </div>
      </div>
    </PlainModal>
  );
}

/** Tickets as one PDF to print, in the organisation's language. */
export function PrintAll({ ids }: { readonly ids: readonly string[] }) {
  const { paper } = useDeskTexts();
  return (
    <ChangeButton
      variant="default"
      leftSection={<IconPrinter size={18} aria-hidden />}
      route="POST /tickets/sheet.pdf"
      input={{ ids, timeZone: pageZone() }}
      onDone={(pdf) => saveFile(pdf, 'tickets.pdf')}
    >
      {paper.all}
    </ChangeButton>
  );
}

import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { DeletionFacts, Event } from '../../api/types.ts';
import { useChange, useRead } from '../../api/use-api.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ExportLinks } from '../../components/export-links.tsx';
import { FormModal } from '../../components/form-modal.tsx';
import { Answered } from '../../components/states.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

type Facts = ReturnType<typeof useRead<DeletionFacts>>;

interface Props {
  readonly event: Event;
  readonly onClose: () => void;
}

/** For owners: an event without tickets may still have scans, which only go with everything. */
export function DeleteEvent({ event, onClose }: Props) {
  const facts = useRead<DeletionFacts>(`/events/${event.id}/deletion`);
  if (facts.isPending) return null;
  const isUnused = facts.data?.tickets === 0 && facts.data.lastScanAt === null;
  if (isUnused) return <DeleteUnused event={event} onClose={onClose} />;
  return <DeleteWithTickets event={event} facts={facts} onClose={onClose} />;
}

/** Deletes an event that was never needed. */
export function DeleteUnused({ event: { id, name }, onClose }: Props) {
  const { events, general } = useTexts();
  return (
    <Confirm
      title={events.deleteTitle}
      submit={general.delete}
      act={{ method: 'DELETE', path: `/events/${id}` }}
      changes={['events', 'keys']}
      onClose={onClose}
    >
      {events.deleteText(name)}
    </Confirm>
  );
}

/** Deletes an event with everything that belongs to it, after offering an export and asking for its name. */
function DeleteWithTickets({ event, facts, onClose }: Props & { facts: Facts }) {
  const { events, general, tickets, log } = useTexts();
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const { id, name } = event;
  const change = useChange('events', 'keys', 'tickets', 'log', 'audit-trail');
  const submit = () => {
    setWrong(typed.trim() !== name);
    if (typed.trim() !== name) return;
    const path = `/events/${id}?withTickets=true`;
    change.mutate({ method: 'DELETE', path }, { onSuccess: onClose });
  };
  return (
    <FormModal
      danger
      title={events.deleteAllTitle}
      submit={general.delete}
      change={change}
      onClose={onClose}
      onSubmit={submit}
    >
      <Answered asked={facts}>{(known) => <Content name={name} facts={known} />}</Answered>
      <p>{events.deleteAllStays}</p>
      <p>{events.exportFirst}</p>
      <div className="form-buttons">
        <span>{tickets.title}</span>
        <ExportLinks path="/tickets/export" filter={{ event: id }} texts={tickets} />
      </div>
      <div className="form-buttons">
        <span>{log.title}</span>
        <ExportLinks path="/log/export" filter={{ event: id }} texts={log} />
      </div>
      <TextInput
        label={events.typeName(name)}
        autoComplete="off"
        value={typed}
        error={isWrong && events.otherName}
        onChange={(changed) => setTyped(changed.currentTarget.value)}
      />
    </FormModal>
  );
}

function Content({ name, facts }: { name: string; facts: DeletionFacts }) {
  const { events } = useTexts();
  const formats = useFormats();
  const { tickets, valid, lastScanAt } = facts;
  return (
    <>
      <p className="break">{events.deleteAllText(name, formats.number(tickets))}</p>
      <p>
        <strong>{events.stillValid(valid, formats.number(valid))}</strong>{' '}
        {lastScanAt === null ? events.neverScanned : events.lastScan(formats.dateTime(lastScanAt))}
      </p>
    </>
  );
}

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { Page, Phone } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { Confirm } from '../../components/confirm.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Name } from '../../components/name.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { Answered } from '../../components/states.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { PairPhone } from './pair-phone.tsx';

const ASK_EVERY_MS = 30_000;

/** Phones that scan without a password. */
export function PhonesPage() {
  const { phones } = useTexts();
  const list = useRead<Page<Phone>>('/phones', { everyMs: ASK_EVERY_MS });
  const [pairing, setPairing] = useState(false);
  const [removing, setRemoving] = useState<Phone>();
  const columns = useColumns(setRemoving);
  return (
    <>
      <PageHead title={phones.title}>
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setPairing(true)}>
          {phones.pair}
        </Button>
      </PageHead>
      <p className="dimmed">{phones.help}</p>
      <Answered asked={list}>
        {({ items }) => (
          <DataTable
            empty={phones.empty}
            label={phones.title}
            columns={columns}
            rows={items}
            keyOf={({ id }) => id}
          />
        )}
      </Answered>
      {pairing && <PairPhone onClose={() => setPairing(false)} />}
      {removing && (
        <Confirm
          title={phones.removeTitle}
          submit={phones.remove}
          act={{ method: 'DELETE', path: `/phones/${removing.id}` }}
          changes={['phones']}
          onClose={() => setRemoving(undefined)}
        >
          {phones.removeText(removing.name)}
        </Confirm>
      )}
    </>
  );
}

function useColumns(onRemove: (phone: Phone) => void): Column<Phone>[] {
  const { phones, general } = useTexts();
  return [
    { title: phones.name, cell: ({ name }) => <Name>{name}</Name> },
    { title: phones.scansFor, cell: ({ account }) => <Name>{account.name}</Name> },
    { title: phones.pairedAt, cell: ({ pairedAt }) => <TimeText at={pairedAt} /> },
    { title: phones.lastSeen, cell: ({ lastSeenAt }) => <TimeText at={lastSeenAt} /> },
    { title: phones.endsAt, cell: ({ expiresAt }) => <TimeText at={expiresAt} /> },
    {
      title: general.actions,
      cell: (phone) => (
        <RowAction
          danger
          text={phones.remove}
          label={phones.removeNamed(phone.name)}
          onClick={() => onRemove(phone)}
        />
      ),
    },
  ];
}

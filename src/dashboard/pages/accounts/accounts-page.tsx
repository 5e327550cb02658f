import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useMay, useSession } from '../../api/session.tsx';
import type { Account, Page } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { Confirm } from '../../components/confirm.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Name } from '../../components/name.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { Answered, Empty } from '../../components/states.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { CreateAccount } from './create-account.tsx';
import { EditAccount } from './edit-account.tsx';

/** Who may sign in, and as what. */
export function AccountsPage() {
  const { accounts, general } = useTexts();
  const owner = useMay('owner');
  const list = useRead<Page<Account>>('/accounts', { enabled: owner });
  const [creating, setCreating] = useState(false);
  const [editing, setEditing] = useState<Account>();
  const [deleting, setDeleting] = useState<Account>();
  const columns = useColumns(setEditing, setDeleting);
  if (!owner) {
    return (
      <>
        <PageHead title={accounts.title} />
        <Empty text={accounts.ownersOnly} />
      </>
    );
  }
  return (
    <>
      <PageHead title={accounts.title}>
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
          {accounts.create}
        </Button>
      </PageHead>
      <p className="dimmed">{accounts.roleHelp}</p>
      <Answered asked={list}>
        {({ items }) => (
          <DataTable label={accounts.title} columns={columns} rows={items} keyOf={({ id }) => id} />
        )}
      </Answered>
      {creating && <CreateAccount onClose={() => setCreating(false)} />}
      {editing && <EditAccount account={editing} onClose={() => setEditing(undefined)} />}
      {deleting && (
        <Confirm
          title={accounts.deleteTitle}
          submit={general.delete}
          act={{ method: 'DELETE', path: `/accounts/${deleting.id}` }}
          changes={['accounts']}
          onClose={() => setDeleting(undefined)}
        >
          {accounts.deleteText(deleting.name)}
        </Confirm>
      )}
    </>
  );
}

function useColumns(
  onEdit: (account: Account) => void,
  onDelete: (account: Account) => void,
): Column<Account>[] {
  const { accounts, general, roles } = useTexts();
  const own = useSession().account.id;
  return [
    {
      title: general.name,
      cell: ({ id, name }) => (
        <>
          <Name>{name}</Name> {id === own && <span className="dimmed">({accounts.you})</span>}
        </>
      ),
    },
    { title: accounts.role, cell: ({ role }) => roles[role] },
    { title: accounts.lastSignIn, cell: ({ lastSignInAt }) => <TimeText at={lastSignInAt} /> },
    { title: general.created, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
    {
      title: general.actions,
      cell: (account) =>
        account.id !== own && (
          <span className="row-actions">
            <RowAction
              text={general.edit}
              label={accounts.edit(account.name)}
              onClick={() => onEdit(account)}
            />
            <RowAction
              danger
              text={general.delete}
              label={accounts.delete(account.name)}
              onClick={() => onDelete(account)}
            />
          </span>
        ),
    },
  ];
}

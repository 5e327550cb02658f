import { TextInput } from '@mantine/core';
import { useSession } from '../api/session.tsx';
import type { Account } from '../api/types.ts';
import { useRead } from '../api/use-api.ts';
import { type Column, ListTable } from '../components/data-table.tsx';
import { ChangeModal, CreateButton, RowConfirm, RowDialog } from '../components/dialogs.tsx';
import { SecretInput, useDraft } from '../components/fields.tsx';
import { PageHead } from '../components/page-head.tsx';
import { EventScope, RoleChoice } from '../components/permission-fields.tsx';
import { Name, TimeText } from '../components/values.tsx';
import { useTexts } from '../i18n/language.tsx';

/** Who may sign in, and as what. */
export function AccountsPage() {
  const { accounts } = useTexts();
  const list = useRead('GET /accounts');
  const columns = useColumns();
  return (
    <>
      <PageHead title={accounts.title}>
        <CreateButton text={accounts.create} dialog={<CreateAccount />} />
      </PageHead>
      <p className="dimmed">{accounts.roleHelp}</p>
      <ListTable asked={list} label={accounts.title} columns={columns} keyOf={({ id }) => id} />
    </>
  );
}

function useColumns(): Column<Account>[] {
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
    { title: general.created, cell: ({ createdAt }) => <TimeText at={createdAt} only="date" /> },
    {
      title: general.actions,
      cell: (account) => account.id !== own && <AccountActions account={account} />,
    },
  ];
}

function AccountActions({ account }: { account: Account }) {
  const { accounts, general } = useTexts();
  const { id, name } = account;
  return (
    <span className="row-actions">
      <RowDialog text={general.edit} of={name} dialog={<EditAccount account={account} />} />
      <RowConfirm
        danger
        text={general.delete}
        of={name}
        title={accounts.deleteTitle}
        route="DELETE /accounts/:id"
        input={{ id }}
      >
        {accounts.deleteText(name)}
      </RowConfirm>
    </span>
  );
}

const NEW_ACCOUNT: Pick<Account, 'name' | 'role' | 'events'> & { readonly password: string } = {
  ...{ name: '', password: '', role: 'operator', events: 'all' },
};

/** A new account with its first password. */
function CreateAccount() {
  const { accounts, general } = useTexts();
  const { draft, field } = useDraft(NEW_ACCOUNT);
  const { events, ...others } = draft;
  const isScanner = draft.role === 'scanner';
  return (
    <ChangeModal
      title={accounts.create}
      submit={general.create}
      route="POST /accounts"
      input={isScanner ? draft : others}
    >
      <TextInput
        label={general.name}
        required
        data-autofocus
        autoComplete="off"
        {...field('name')}
      />
      <SecretInput
        label={accounts.password}
        description={accounts.passwordHelp}
        required
        autoComplete="new-password"
        {...field('password')}
      />
      <RoleChoice {...field('role')} />
      {isScanner && <EventScope {...field('events')} />}
    </ChangeModal>
  );
}

/** Gives an account another role, or a scanner other events. */
function EditAccount({ account }: { account: Account }) {
  const { accounts, general } = useTexts();
  const { id, name, role, events } = account;
  const { draft, field } = useDraft({ role, events });
  const isScanner = draft.role === 'scanner';
  return (
    <ChangeModal
      title={accounts.edit(name)}
      submit={general.save}
      route="PATCH /accounts/:id"
      input={{ id, role: draft.role, ...(isScanner && { events: draft.events }) }}
    >
      <RoleChoice {...field('role')} />
      {isScanner && <EventScope {...field('events')} />}
    </ChangeModal>
  );
}

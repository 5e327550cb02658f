import type { Account } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { useTexts } from '../../i18n/language.tsx';

/** Asks once more before an account is gone. */
export function DeleteAccount({ account, onClose }: { account: Account; onClose: () => void }) {
  const { accounts, general } = useTexts();
  const change = useChange('accounts');
  return (
    <FormModal
      danger
      title={accounts.deleteTitle}
      submit={general.delete}
      pending={change.isPending}
      error={change.error}
      onClose={onClose}
      onSubmit={() =>
        change.mutate({ method: 'DELETE', path: `/accounts/${account.id}` }, { onSuccess: onClose })
      }
    >
      <p className="break">{accounts.deleteText(account.name)}</p>
    </FormModal>
  );
}

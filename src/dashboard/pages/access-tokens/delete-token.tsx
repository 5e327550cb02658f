import type { AccessToken } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { useTexts } from '../../i18n/language.tsx';

/** Asks once more before a token is gone. */
export function DeleteToken({ token, onClose }: { token: AccessToken; onClose: () => void }) {
  const { accessTokens, general } = useTexts();
  const change = useChange('access-tokens');
  return (
    <FormModal
      danger
      title={accessTokens.deleteTitle}
      submit={general.delete}
      pending={change.isPending}
      error={change.error}
      onClose={onClose}
      onSubmit={() =>
        change.mutate(
          { method: 'DELETE', path: `/access-tokens/${token.id}` },
          { onSuccess: onClose },
        )
      }
    >
      <p className="break">{accessTokens.deleteText(token.name)}</p>
    </FormModal>
  );
}

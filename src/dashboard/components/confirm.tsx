import type { ReactNode } from 'react';
import type { Call } from '../api/http.ts';
import { useChange } from '../api/use-api.ts';
import { FormModal, type FormModalProps } from './form-modal.tsx';

interface ConfirmProps extends Pick<FormModalProps, 'title' | 'submit' | 'dismiss' | 'onClose'> {
  /** What is asked of the server when the answer is yes. */
  readonly act: Call;
  /** Lists that are stale afterwards. */
  readonly changes: readonly string[];
  readonly onDone?: () => void;
  readonly children: ReactNode;
}

/** Asks once more before something that cannot be taken back, or that stops a gate; closes when it is done. */
export function Confirm({ act, changes, onDone, children, ...modal }: ConfirmProps) {
  const change = useChange(...changes);
  const done = () => {
    modal.onClose();
    onDone?.();
  };
  return (
    <FormModal
      danger
      {...modal}
      change={change}
      onSubmit={() => change.mutate(act, { onSuccess: done })}
    >
      <p className="break">{children}</p>
    </FormModal>
  );
}

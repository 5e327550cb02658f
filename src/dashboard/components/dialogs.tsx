import { Alert, Button, Modal } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import type { FormEvent, ReactNode } from 'react';
import type { Call } from '../api/http.ts';
import { useChange } from '../api/use-api.ts';
import { useTexts } from '../i18n/language.tsx';
import { CopyField } from './fields.tsx';
import { Failure } from './states.tsx';

interface FormModalProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly onSubmit: () => void;
  readonly submit: string;
  readonly change: { readonly isPending: boolean; readonly error: Error | null };
  readonly children: ReactNode;
  /** The act cannot be taken back, or stops a gate. */
  readonly danger?: boolean;
  /** What was given cannot be sent, and the dialogue says why. */
  readonly isBlocked?: boolean;
  /** The other button, where "Cancel" could be misread. */
  readonly dismiss?: string;
}

/** A dialogue with fields or a question. It stays open with what was typed when the server refuses. */
export function FormModal(props: FormModalProps) {
  const texts = useTexts();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!props.change.isPending) props.onSubmit();
  };
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={props.title}
      closeButtonProps={{ 'aria-label': texts.general.close }}
    >
      <form onSubmit={onSubmit} className="form">
        {props.children}
        {props.change.error && <Failure error={props.change.error} />}
        <div className="form-buttons">
          <Button variant="default" onClick={props.onClose}>
            {props.dismiss ?? texts.general.cancel}
          </Button>
          <Button
            type="submit"
            loading={props.change.isPending}
            disabled={props.isBlocked ?? false}
            {...(props.danger && { color: 'red', 'data-autofocus': true })}
          >
            {props.submit}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

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

interface ShownOnceProps {
  readonly title: string;
  /** What the value is called. */
  readonly label: string;
  readonly value: string;
  readonly onClose: () => void;
  /** What belongs to it. */
  readonly children?: ReactNode;
}

/** A secret to copy now: nobody can see it again. Only the button closes it. */
export function ShownOnce({ title, label, value, onClose, children }: ShownOnceProps) {
  const { keys } = useTexts();
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={<span className="break">{title}</span>}
    >
      <div className="form">
        <Alert color="yellow" icon={<IconEyeOff aria-hidden />}>
          {keys.once}
        </Alert>
        <CopyField label={label} value={value} />
        {children}
        <div className="form-buttons">
          <Button onClick={onClose}>{keys.done}</Button>
        </div>
      </div>
    </Modal>
  );
}

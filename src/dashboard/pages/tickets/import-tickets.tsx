import { Alert, FileInput } from '@mantine/core';
import { useState } from 'react';
import { queryOf } from '../../api/http.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { viewersZone } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

/** Brings tickets from a file: all of it or, when a line is wrong, nothing. */
export function ImportTickets({ onClose }: { onClose: () => void }) {
  const { tickets, general } = useTexts();
  const [file, setFile] = useState<File | null>(null);
  const bring = useChange<{ imported: number }>('tickets', 'events');
  const done = bring.data;
  const submit = () => {
    if (done) return onClose();
    if (!file) return;
    const format = /\.(?:jsonl|ndjson)$/i.test(file.name) ? 'jsonl' : 'csv';
    const path = `/tickets/import${queryOf({ format, timeZone: viewersZone() })}`;
    bring.mutate({ method: 'POST', path, body: file });
  };
  return (
    <FormModal
      title={tickets.importTitle}
      submit={done ? general.close : tickets.import}
      pending={bring.isPending}
      error={bring.error}
      onClose={onClose}
      onSubmit={submit}
    >
      <FileInput
        label={tickets.importFile}
        description={tickets.importHelp}
        accept=".csv,.jsonl,.ndjson,text/csv"
        required
        clearable
        clearButtonProps={{ 'aria-label': general.clearFilter }}
        value={file}
        onChange={setFile}
      />
      {done && (
        <Alert color="green" role="status">
          {tickets.imported(done.imported)}
        </Alert>
      )}
    </FormModal>
  );
}

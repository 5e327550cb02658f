import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { callForFile } from '../../api/http.ts';
import { Failure } from '../../components/states.tsx';
import { pageZone } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

/** Tickets as one PDF to print, in the organisation's language. */
export function PrintAll({ ids }: { readonly ids: readonly string[] }) {
  const { paper } = useTexts();
  const print = useMutation({
    mutationFn: async () => {
      const body = { ids, timeZone: pageZone() };
      return callForFile({ method: 'POST', path: '/tickets/sheet.pdf', body });
    },
    onSuccess: (pdf) => save(pdf, 'tickets.pdf'),
  });
  return (
    <>
      {print.error && <Failure error={print.error} />}
      <Button
        variant="default"
        leftSection={<IconPrinter size={18} aria-hidden />}
        loading={print.isPending}
        onClick={() => print.mutate()}
      >
        {paper.all}
      </Button>
    </>
  );
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

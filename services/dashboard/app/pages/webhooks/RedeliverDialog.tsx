import { type ReactElement, useState } from 'react';
import type { DeliveryResponse } from '#contracts/http/deliveries.ts';
import { api } from '../../api/client.ts';
import { TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { showToast } from '../../components/Toast.tsx';
import { strings } from '../../strings/strings.ts';
import { parseHeaders } from './parse-headers.ts';

const texts = strings.webhooks.redeliver;
const headerTexts = strings.webhooks.test;

/** Sends a callback again, with the secrets that were erased at the end of its delivery. */
export const RedeliverDialog = ({
  delivery: { job_id, missing_fields },
  onClose,
  onSent,
}: {
  delivery: DeliveryResponse;
  onClose: () => void;
  onSent: () => void;
}): ReactElement => {
  const [url, setUrl] = useState('');
  const [headers, setHeaders] = useState('');
  const needsUrl = missing_fields.includes('webhook_url');
  const needsHeaders = missing_fields.includes('webhook_headers');
  const send = async (): Promise<void> => {
    const body = {
      ...(needsUrl ? { webhook_url: url.trim() } : {}),
      ...(needsHeaders ? { webhook_headers: parseHeaders(headers) } : {}),
    };
    await api.post('/api/v1/jobs/{job_id}/redeliver', { params: { job_id }, body });
    showToast({ title: texts.started });
    onSent();
    onClose();
  };
  const headersError = (errors: Readonly<Record<string, string>>): string | undefined =>
    Object.entries(errors).find(([field]) => field.startsWith('webhook_headers'))?.[1];
  return (
    <FormDialog
      title={texts.title}
      size="small"
      onClose={onClose}
      submitText={texts.action}
      onSubmit={send}
      fields={[...(needsUrl ? ['webhook_url'] : []), ...(needsHeaders ? ['webhook_headers'] : [])]}
    >
      {(errors) => (
        <>
          <p>{texts.text}</p>
          {missing_fields.length > 0 && <p className="muted">{texts.erased}</p>}
          {needsUrl && (
            <TextField
              type="url"
              label={texts.url}
              value={url}
              onChange={setUrl}
              error={errors['webhook_url']}
              autoComplete="off"
              isRequired
            />
          )}
          {needsHeaders && (
            <TextField
              label={headerTexts.headers}
              description={headerTexts.headersHint}
              value={headers}
              onChange={setHeaders}
              error={headersError(errors)}
              rows={3}
              autoComplete="off"
              isMonospace
            />
          )}
        </>
      )}
    </FormDialog>
  );
};

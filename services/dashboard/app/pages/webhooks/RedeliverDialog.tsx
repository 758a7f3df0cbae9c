import { type ReactElement, useState } from 'react';
import type { DeliveryResponse } from '#contracts/http/deliveries.ts';
import { api } from '../../api/client.ts';
import { reload } from '../../api/queries.ts';
import { TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { showToast } from '../../components/Toast.tsx';
import { strings } from '../../strings/strings.ts';
import { HeadersField, headersErrorOf, parseHeaders } from './HeadersField.tsx';

const texts = strings.webhooks.redeliver;

type RedeliverDialogProps = { delivery: DeliveryResponse; onClose: () => void };

/** Sends a callback again, with the secrets that were erased at the end of its delivery. */
export const RedeliverDialog = ({ delivery, onClose }: RedeliverDialogProps): ReactElement => {
  const { job_id, missing_fields } = delivery;
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
    void reload('delivery', job_id);
    onClose();
  };
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
            <HeadersField value={headers} onChange={setHeaders} error={headersErrorOf(errors, 'webhook_headers')} />
          )}
        </>
      )}
    </FormDialog>
  );
};

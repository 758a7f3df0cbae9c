import { type ReactElement, useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { reload } from '../../api/queries.ts';
import { TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { formatForInput } from '../../components/formats.ts';
import { ErrorNotice } from '../../components/notices.tsx';
import { showToast } from '../../components/Toast.tsx';
import { useDelayed } from '../../components/use-delayed.ts';
import { strings } from '../../strings/strings.ts';

const texts = strings.webhooks.redeliverAll;
const dayMs = 24 * 60 * 60 * 1000;
const inputDelayMs = 300;
/** More than a minute of attempts cannot be planned anyway. */
const maxCalls = 10;

type Failed = { failed_since: string; url?: string };

/** Sends one call after the other, until none is left or the receiver has enough. Returns how many were sent. */
const redeliverAll = async (failed: Failed): Promise<{ count: number; isPaused: boolean }> => {
  let count = 0;
  let until: string | undefined;
  for (let call = 0; call < maxCalls; call += 1) {
    try {
      const body = { ...failed, ...(until === undefined ? {} : { until }) };
      const result = await api.post('/api/v1/deliveries/redeliver', { body });
      count += result.redelivered;
      until = result.until;
      if (!result.has_more) return { count, isPaused: false };
    } catch (error) {
      if (count > 0 && error instanceof ApiError && error.error === 'rate_limit_exceeded') break;
      throw error;
    }
  }
  return { count, isPaused: true };
};

/** Says how many failed callbacks match, and sends them again. */
export const RedeliverAllDialog = ({ onClose }: { onClose: () => void }): ReactElement => {
  const [since, setSince] = useState(() => formatForInput(new Date(Date.now() - dayMs)));
  const [url, setUrl] = useState('');
  const typed = useDelayed(`${since} ${url.trim()}`, inputDelayMs);
  const [typedSince = '', typedUrl = ''] = typed.split(' ');
  const time = Date.parse(typedSince);
  const failed: Failed = {
    failed_since: Number.isNaN(time) ? '' : new Date(time).toISOString(),
    ...(typedUrl === '' ? {} : { url: typedUrl }),
  };
  const count = useQuery({
    queryKey: ['deliveries', 'failed', failed],
    queryFn: ({ signal }) => api.post('/api/v1/deliveries/redeliver', { body: { ...failed, dry_run: true }, signal }),
    enabled: failed.failed_since !== '',
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const isCurrent = typed === `${since} ${url.trim()}` && !count.isFetching;
  const matching = count.data?.matching ?? 0;
  const erased = count.data?.erased_job_ids.length ?? 0;

  const confirm = async (): Promise<void> => {
    try {
      const { count: sent, isPaused } = await redeliverAll(failed);
      showToast({ title: isPaused ? texts.paused(sent) : texts.done(sent) });
      onClose();
    } finally {
      void reload('deliveries');
    }
  };

  return (
    <FormDialog
      title={texts.title}
      onClose={onClose}
      size="small"
      submitText={texts.confirm(matching)}
      isDisabled={!isCurrent || matching === 0}
      onSubmit={confirm}
    >
      {() => (
        <>
          <TextField type="datetime-local" label={texts.since} value={since} onChange={setSince} isRequired />
          <TextField
            type="url"
            label={texts.url}
            description={texts.urlHint}
            value={url}
            onChange={setUrl}
            isOptional
          />
          <div role="status">
            {count.isPending ? (
              <p className="muted">{strings.common.loading}</p>
            ) : (
              <p>
                <strong>{texts.matching(matching)}</strong> {erased > 0 && texts.erased(erased)}
              </p>
            )}
          </div>
          <p className="muted small">{texts.pace}</p>
          {count.error && <ErrorNotice error={count.error} />}
        </>
      )}
    </FormDialog>
  );
};

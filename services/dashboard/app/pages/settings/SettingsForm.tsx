import { type ReactElement, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { AccountSettingsResponse } from '#contracts/http/account.ts';
import { fieldErrorsOf } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { queryClient, reload } from '../../api/queries.ts';
import { usePermission } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { ComboField } from '../../components/ComboField.tsx';
import { Select, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/Form.tsx';
import { ErrorNotice } from '../../components/notices.tsx';
import { showToast } from '../../components/Toast.tsx';
import { strings } from '../../strings/strings.ts';
import { localeOptions, localeSample, timeZoneOptions, timeZoneSample } from './locale-samples.ts';

const texts = strings.settings;
const hour = 60;
const day = 24 * hour;

/** Minutes in the largest unit without a rest, such as "1 day". */
export const formatMinutes = (minutes: number): string => {
  if (minutes % day === 0) return texts.days(minutes / day);
  return minutes % hour === 0 ? texts.hours(minutes / hour) : texts.minutes(minutes);
};

const usual = [10, 30, hour, 6 * hour, day, 3 * day, 7 * day, 30 * day, 90 * day];

/** The times to choose from, in minutes: usual ones within the limits, the longest, and the present one. */
const retentionChoices = (min: number, max: number, present: number | null): number[] => {
  const within = [...usual, max].filter((minutes) => minutes >= min && minutes <= max);
  return [...new Set(present === null ? within : [...within, present])].toSorted((a, b) => a - b);
};

type FormValues = { name: string; locale: string; timeZone: string; retention: string };
type Fields = Pick<AccountSettingsResponse, 'name' | 'locale' | 'time_zone' | 'pdf_retention_minutes'>;

const valuesOf = ({ name, locale, time_zone, pdf_retention_minutes }: Fields): FormValues => ({
  name,
  locale: locale ?? '',
  timeZone: time_zone ?? '',
  retention: pdf_retention_minutes === null ? '' : String(pdf_retention_minutes),
});

/** Only what was changed, so that a change by someone else to another field stays. */
const changesOf = (before: FormValues, { name, locale, timeZone, retention }: FormValues): Partial<Fields> => ({
  ...(name !== before.name && { name }),
  ...(locale !== before.locale && { locale: locale.trim() || null }),
  ...(timeZone !== before.timeZone && { time_zone: timeZone.trim() || null }),
  ...(retention !== before.retention && { pdf_retention_minutes: retention === '' ? null : Number(retention) }),
});

const problem = (text: string, sample: string | null, message: string): string | undefined =>
  text.trim() !== '' && sample === null ? message : undefined;

type RetentionFieldProps = {
  settings: AccountSettingsResponse;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  isDisabled: boolean;
};

const RetentionField = ({ settings, value, onChange, error, isDisabled }: RetentionFieldProps): ReactElement => {
  const { min_minutes: min, max_minutes: max, default_minutes: initial } = settings.pdf_retention;
  const choices = retentionChoices(min, max, settings.pdf_retention_minutes);
  return (
    <Select
      label={texts.retentionLabel}
      description={texts.retentionHint(formatMinutes(max))}
      value={value === '' ? 'default' : value}
      onChange={(choice) => onChange(choice === 'default' ? '' : choice)}
      error={error}
      isDisabled={isDisabled}
      options={[
        { value: 'default', label: texts.retentionDefault(formatMinutes(initial)) },
        ...choices.map((minutes) => ({ value: String(minutes), label: formatMinutes(minutes) })),
      ]}
    />
  );
};

/** The settings that owners change. */
export const SettingsForm = ({ settings }: { settings: AccountSettingsResponse }): ReactElement => {
  const mayChange = usePermission('account:write');
  const [before, setBefore] = useState(() => valuesOf(settings));
  const [values, setValues] = useState(before);
  const set = (change: Partial<FormValues>): void => setValues((present) => ({ ...present, ...change }));
  const changes = changesOf(before, values);
  const save = useMutation({
    mutationFn: () => api.put('/api/v1/account/settings', { body: changes }),
    onSuccess: (saved) => {
      queryClient.setQueryData(['account-settings'], saved);
      setBefore(valuesOf(saved));
      setValues(valuesOf(saved));
      showToast({ title: texts.saved });
      void reload('session');
    },
  });
  const errors = fieldErrorsOf(save.error);
  const sample = localeSample(values.locale.trim() || 'en');
  const zoneSample = timeZoneSample(values.timeZone.trim() || 'UTC');
  const isChanged = Object.keys(changes).length > 0;
  const disabledReason = mayChange ? (isChanged ? null : texts.noChanges) : texts.saveDisabled;
  const hint = (text: string, empty: string, initial: string): string =>
    text.trim() === '' ? `${empty}. ${initial}` : initial;
  return (
    <Form className="stack-lg" onSubmit={() => isChanged && mayChange && !save.isPending && save.mutate()}>
      <Card title={texts.general}>
        <TextField
          label={texts.name}
          value={values.name}
          onChange={(name) => set({ name })}
          error={errors['name']}
          isDisabled={!mayChange}
          isRequired
          autoComplete="off"
        />
      </Card>
      <Card title={texts.defaults} text={texts.defaultsText}>
        <div className="grid-2">
          <ComboField
            label={texts.locale}
            value={values.locale}
            onChange={(locale) => set({ locale })}
            options={localeOptions}
            placeholder="en"
            description={hint(values.locale, texts.localeDefault, texts.localeHint(sample ?? ''))}
            error={problem(values.locale, sample, texts.localeUnknown) ?? errors['locale']}
            isDisabled={!mayChange}
          />
          <ComboField
            label={texts.timeZone}
            value={values.timeZone}
            onChange={(timeZone) => set({ timeZone })}
            options={timeZoneOptions}
            placeholder="UTC"
            description={hint(values.timeZone, texts.timeZoneDefault, texts.timeZoneHint(zoneSample ?? ''))}
            error={problem(values.timeZone, zoneSample, texts.timeZoneUnknown) ?? errors['time_zone']}
            isDisabled={!mayChange}
          />
        </div>
      </Card>
      <Card title={texts.retention}>
        <RetentionField
          settings={settings}
          value={values.retention}
          onChange={(retention) => set({ retention })}
          error={errors['pdf_retention_minutes']}
          isDisabled={!mayChange}
        />
      </Card>
      {save.error && Object.keys(errors).length === 0 && <ErrorNotice error={save.error} />}
      <div className="row">
        <Button type="submit" variant="primary" isPending={save.isPending} disabledReason={disabledReason}>
          {strings.common.save}
        </Button>
        {isChanged && (
          <Button variant="quiet" onPress={() => setValues(before)}>
            {texts.reset}
          </Button>
        )}
      </div>
    </Form>
  );
};

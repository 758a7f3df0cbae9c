import type { ReactElement } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { OwnLimits, PlanListResponse } from '#contracts/http/operator.ts';
import { api } from '../../api/client.ts';
import { optionsOf, Select, TextField } from '../../components/fields.tsx';
import { formatCount } from '../../components/formats.ts';
import { strings } from '../../strings/strings.ts';

const texts = strings.operator;

type PlanName = keyof typeof texts.plans;
type LimitName = keyof OwnLimits;
export type PlanValues = { plan: PlanName } & Record<LimitName, string>;

const limitNames = ['requests_per_minute', 'requests_per_month', 'max_pdf_mb'] as const satisfies LimitName[];
const labels: Record<LimitName, string> = {
  requests_per_minute: texts.perMinute,
  requests_per_month: texts.perMonth,
  max_pdf_mb: texts.maxPdf,
};

/** The fields that `FormDialog` shows errors at. */
export const planFieldNames = ['plan', ...limitNames.map((name) => `own_limits.${name}`)];

export const planValuesOf = (plan: PlanName, own: OwnLimits): PlanValues => ({
  plan,
  requests_per_minute: String(own.requests_per_minute ?? ''),
  requests_per_month: String(own.requests_per_month ?? ''),
  max_pdf_mb: String(own.max_pdf_mb ?? ''),
});

/** The plan and the limits for a request. The service refuses what is not a number. */
export const planBodyOf = ({ plan, ...limits }: PlanValues): { plan: PlanName; own_limits: OwnLimits } => {
  const named = limitNames.filter((name) => limits[name].trim() !== '');
  return { plan, own_limits: Object.fromEntries(named.map((name) => [name, Number(limits[name])])) };
};

export const usePlans = (): PlanListResponse['plans'] | undefined =>
  useQuery({
    queryKey: ['operator-plans'],
    queryFn: ({ signal }) => api.get('/api/v1/operator/plans', { signal }),
    staleTime: Infinity,
  }).data?.plans;

export const limitText = (value: number | null): string =>
  value === null ? strings.common.unlimited : formatCount(value);

type PlanFieldsProps = {
  values: PlanValues;
  onChange: (values: PlanValues) => void;
  errors: Readonly<Record<string, string>>;
};

/** A plan, and the limits that replace those of the plan. */
export const PlanFields = ({ values, onChange, errors }: PlanFieldsProps): ReactElement => {
  const limits = usePlans()?.find(({ name }) => name === values.plan)?.limits;
  return (
    <>
      <Select
        label={texts.plan}
        value={values.plan}
        onChange={(plan) => onChange({ ...values, plan })}
        error={errors['plan']}
        options={optionsOf(texts.plans)}
      />
      <fieldset className="fieldset stack">
        <legend className="field-label">{texts.ownLimits}</legend>
        <p className="muted small">{texts.ownLimitsHint}</p>
        {limitNames.map((name) => (
          <TextField
            key={name}
            label={labels[name]}
            description={limits && texts.planLimit(limitText(limits[name]))}
            value={values[name]}
            onChange={(text) => onChange({ ...values, [name]: text })}
            error={errors[`own_limits.${name}`]}
            inputMode="decimal"
            isOptional
          />
        ))}
      </fieldset>
    </>
  );
};

import { type ReactElement, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button as AriaButton, Dialog, DialogTrigger, Popover, SearchField, Input, Label } from 'react-aria-components';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { strings } from '../strings/strings.ts';
import { Button } from './Button.tsx';
import { Select, type SelectOption, TextField } from './fields.tsx';
import { Form } from './Form.tsx';
import { formatForInput, formatLocalTime } from './formats.ts';
import { Icon } from './Icon.tsx';

export type Filter =
  /** `none` says what applies without a value. Default: all. */
  | { kind: 'select'; name: string; label: string; options: readonly SelectOption[]; none?: string }
  | { kind: 'text'; name: string; label: string; placeholder?: string }
  /** Two values: `since` and `until`, ISO 8601. */
  | { kind: 'time'; since: string; until: string; label: string };

export type FilterValues = Record<string, string>;

/** The filters in the query of the page's address; a change replaces the address. */
export const useFilters = (): [FilterValues, (changes: FilterValues) => void] => {
  const search: FilterValues = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: FilterValues): void => {
    // Of the newest address: a change that the page does not show yet stays.
    const merge = (newest: FilterValues): FilterValues =>
      Object.fromEntries(Object.entries({ ...newest, ...changes }).filter(([, value]) => value !== ''));
    void navigate({ to: '.', search: merge as never, replace: true });
  };
  return [search, change];
};

const inputDelayMs = 250;

type TextFilterProps = { filter: Filter & { kind: 'text' }; value: string; onChange: (value: string) => void };

const TextFilter = ({ filter, value, onChange }: TextFilterProps) => {
  const [text, setText] = useState(value);
  // The value of the address, and those that were sent after it.
  const sent = useRef([value]);
  // The address follows what is typed with a delay. Only a value from elsewhere replaces the text.
  useEffect(() => {
    const at = sent.current.indexOf(value);
    sent.current = at === -1 ? [value] : sent.current.slice(at);
    if (at === -1) setText(value);
  }, [value]);
  const send = (typed: string): void => {
    sent.current = [...sent.current, typed];
    onChange(typed);
  };
  const sendTyped = useEffectEvent(send);
  useEffect(() => {
    if (text === sent.current.at(-1)) return undefined;
    const timer = setTimeout(() => sendTyped(text), inputDelayMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <SearchField className="search-field" value={text} onChange={setText} onSubmit={send}>
      <Label className="visually-hidden">{filter.label}</Label>
      <Icon name="search" size={14} />
      {/* The shortcut `/` moves the focus to the first of these. */}
      <Input className="input" placeholder={filter.placeholder ?? filter.label} data-shortcut="search" />
    </SearchField>
  );
};

const hour = 3_600_000;
const presets = [
  ['hour', hour],
  ['day', 24 * hour],
  ['week', 7 * 24 * hour],
  ['month', 30 * 24 * hour],
] as const;
const texts = strings.time;

const toIso = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

/** The time of a text in the address, which people can change: null if it is none. */
const timeOf = (text: string | undefined): Date | null => {
  const time = new Date(text ?? '');
  return Number.isNaN(time.getTime()) ? null : time;
};

const toLocal = (text: string | undefined): string => {
  const time = timeOf(text);
  return time ? formatForInput(time) : '';
};

const rangeText = (sinceText: string | undefined, untilText: string | undefined): string => {
  const [since, until] = [timeOf(sinceText), timeOf(untilText)];
  if (!since && !until) return texts.presets.any;
  const parts = [since ? formatLocalTime(since) : '…', until ? formatLocalTime(until) : ''];
  return parts.filter(Boolean).join(' – ');
};

type TimeFilterProps = {
  filter: Filter & { kind: 'time' };
  values: FilterValues;
  onChange: (changes: FilterValues) => void;
};

/** What the dialog of the filter shows. It begins with the present values each time it is opened. */
const TimeChoice = ({ filter, values, onChange }: TimeFilterProps) => {
  const [since, setSince] = useState(() => toLocal(values[filter.since]));
  const [until, setUntil] = useState(() => toLocal(values[filter.until]));
  const choose = (from: string, to: string): void => onChange({ [filter.since]: from, [filter.until]: to });
  return (
    <>
      <div className="time-presets">
        <Button variant="quiet" onPress={() => choose('', '')}>
          {texts.presets.any}
        </Button>
        {presets.map(([name, ms]) => (
          <Button key={name} variant="quiet" onPress={() => choose(new Date(Date.now() - ms).toISOString(), '')}>
            {texts.presets[name]}
          </Button>
        ))}
      </div>
      <Form className="stack" onSubmit={() => choose(toIso(since), toIso(until))}>
        <TextField type="datetime-local" label={texts.since} value={since} onChange={setSince} />
        <TextField type="datetime-local" label={texts.until} value={until} onChange={setUntil} />
        <Button type="submit" variant="primary">
          {texts.apply}
        </Button>
      </Form>
    </>
  );
};

const TimeFilter = ({ filter, values, onChange }: TimeFilterProps) => {
  const text = rangeText(values[filter.since], values[filter.until]);
  return (
    <DialogTrigger>
      <AriaButton className="select-button" aria-label={`${filter.label}: ${text}`}>
        <Icon name="clock" size={14} />
        <span>{text}</span>
      </AriaButton>
      <Popover className="popover" offset={4}>
        <Dialog aria-label={filter.label} className="time-dialog">
          {({ close }) => (
            <TimeChoice
              filter={filter}
              values={values}
              onChange={(changes) => {
                onChange(changes);
                close();
              }}
            />
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
};

type FilterBarProps = {
  filters: readonly Filter[];
  values: FilterValues;
  onChange: (changes: FilterValues) => void;
  /** What follows the filters in their row. */
  children?: ReactNode;
};

/** The filters of a list. Their values belong in the address of the page: see `useFilters`. */
export const FilterBar = ({ filters, values, onChange, children }: FilterBarProps): ReactElement => {
  const names = filters.flatMap((filter) => (filter.kind === 'time' ? [filter.since, filter.until] : [filter.name]));
  const isFiltered = names.some((name) => (values[name] ?? '') !== '');
  return (
    <div className="filter-bar" role="group" aria-label={strings.common.filters}>
      {filters.map((filter) => {
        if (filter.kind === 'time')
          return <TimeFilter key={filter.since} filter={filter} values={values} onChange={onChange} />;
        const value = values[filter.name] ?? '';
        const change = (text: string): void => onChange({ [filter.name]: text });
        if (filter.kind === 'text')
          return <TextFilter key={filter.name} filter={filter} value={value} onChange={change} />;
        const options = [
          { value: '', label: filter.none ?? `${filter.label}: ${strings.common.all}` },
          ...filter.options,
        ];
        return (
          <Select
            key={filter.name}
            label={filter.label}
            isLabelHidden
            value={value}
            onChange={change}
            options={options}
          />
        );
      })}
      {children}
      {isFiltered && (
        <Button
          variant="quiet"
          icon="close"
          onPress={() => onChange(Object.fromEntries(names.map((name) => [name, ''])))}
        >
          {strings.common.clearFilters}
        </Button>
      )}
    </div>
  );
};

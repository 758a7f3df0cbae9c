import { type ReactElement, useMemo } from 'react';
import type { EventResponse, ListEventsQuery } from '#contracts/http/events.ts';
import { api, urlOf } from '../../api/client.ts';
import { useCursorList } from '../../api/cursor-list.ts';
import { useKeyNames, useMemberNames } from '../../api/names.ts';
import { queryClient } from '../../api/queries.ts';
import { useNewRows } from '../../api/use-new-rows.ts';
import { useAccount } from '../../api/session.ts';
import { ActorName } from '../../components/ActorName.tsx';
import { Button } from '../../components/Button.tsx';
import { type Column, DataTable, tablet } from '../../components/DataTable.tsx';
import { type Filter, FilterBar, type FilterValues, useFilters } from '../../components/FilterBar.tsx';
import { optionsOf, type SelectOption } from '../../components/fields.tsx';
import { LinkButton } from '../../components/Link.tsx';
import { Id } from '../../components/Id.tsx';
import { EmptyState, Notice } from '../../components/notices.tsx';
import { numbered } from '../../components/numbered.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { useMedia } from '../../components/use-media.ts';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { EventDialog } from './EventDialog.tsx';
import { eventTypes, partsOf, sentenceOf } from './event-texts.ts';

const texts = strings.audit;
const pageSize = 50;

/** The actors to choose from: those without an id, and the members and keys of the account. */
const useActors = (chosen: string | undefined): SelectOption[] => {
  const [keys, members] = [useKeyNames(), useMemberNames()];
  const options: SelectOption[] = [
    { value: 'service', label: strings.actors.service },
    { value: 'command_line', label: strings.actors.commandLine },
    ...[...members, ...keys].map(([value, label]) => ({ value, label })),
  ];
  const isListed = !chosen || options.some(({ value }) => value === chosen);
  return isListed ? options : [...options, { value: chosen, label: chosen }];
};

const filtersOf = (actors: readonly SelectOption[]): Filter[] => [
  { kind: 'text', name: 'subject', label: texts.subject },
  {
    kind: 'select',
    name: 'kind',
    label: texts.kind,
    options: optionsOf(texts.kinds),
  },
  { kind: 'select', name: 'type', label: texts.type, options: eventTypes },
  { kind: 'select', name: 'actor', label: texts.actor, options: actors },
  { kind: 'time', since: 'since', until: 'until', label: texts.time },
  {
    kind: 'select',
    name: 'order',
    label: texts.order,
    none: texts.newestFirst,
    options: [{ value: 'oldest', label: texts.oldestFirst }],
  },
];

/** A sentence in one line. A name from right to left is cut at its end; the line would cut its beginning. */
const Sentence = ({ text }: { text: string }): ReactElement => {
  const parts = numbered(partsOf(text));
  if (parts.length === 1) return <>{text}</>;
  return (
    <span className="sentence">
      {parts.map(({ number, item }) =>
        number % 2 === 0 ? <bdi key={number}>{item}</bdi> : <span key={number}>{item}</span>,
      )}
    </span>
  );
};

const columnsOf = (isTablet: boolean): Column<EventResponse>[] => [
  {
    key: 'what',
    header: texts.what,
    width: 'minmax(9rem, 3fr)',
    cell: (event) => <Sentence text={sentenceOf(event)} />,
  },
  { key: 'actor', header: texts.actor, isHiddenOnPhone: true, cell: ({ actor }) => <ActorName actor={actor} /> },
  {
    key: 'subject',
    header: texts.subjectColumn,
    width: isTablet ? '6rem' : '12rem',
    isHiddenOnPhone: true,
    cell: ({ subject }) => subject !== null && <Id id={subject} isNarrow={isTablet} />,
  },
  {
    key: 'when',
    header: texts.when,
    width: 'var(--time-column)',
    cell: ({ time }) => (
      <>
        <span className="wide-only">
          <Time time={time} />
        </span>
        <span className="phone-only">
          <Time time={time} format="relative" />
        </span>
      </>
    ),
  },
];

const firstLine = `curl -sS --fail-with-body '${window.location.origin}/api/v1/events?limit=5' \\
  -H "Authorization: Bearer $COLOPHON_KEY"`;

const filterNames = ['kind', 'type', 'actor', 'subject', 'since', 'until', 'order'] as const;
const queryOf = (values: FilterValues): Partial<ListEventsQuery> =>
  Object.fromEntries(filterNames.flatMap((name) => (values[name] ? [[name, values[name].trim()]] : [])));

/** Links, so that the browser writes a large file while it arrives. A link cannot send the header for the account. */
const Downloads = ({ query }: { query: Partial<ListEventsQuery> }): ReactElement => {
  const account = useAccount()?.id;
  const link = (format: 'jsonl' | 'csv', text: string): ReactElement => (
    <LinkButton icon="download" href={urlOf('/api/v1/events', { query: { ...query, format, account } })} download>
      {text}
    </LinkButton>
  );
  return (
    <>
      {link('jsonl', texts.downloadLines)}
      {link('csv', texts.downloadCsv)}
    </>
  );
};

const anyType = /./;

/** Says that there are events that match the filters, and that the list does not show yet. */
const NewEvents = ({ first, query }: { first: string | undefined; query: Partial<ListEventsQuery> }) => {
  const loadNewest = async (): Promise<string[]> =>
    (await api.get('/api/v1/events', { query: { ...query, limit: 1 } })).events.map(({ id }) => id);
  const isFiltered = Object.keys(query).length > 0;
  const [count, reset] = useNewRows({ types: anyType, first, loadNewest: isFiltered ? loadNewest : null });
  if (count === 0) return null;
  const show = (): void => {
    reset();
    void queryClient.resetQueries({ queryKey: ['events'] });
  };
  return (
    <div role="status">
      <Notice
        tone="info"
        title={texts.newEvents}
        actions={
          <Button size="small" icon="refresh" onPress={show}>
            {texts.showNew}
          </Button>
        }
      />
    </div>
  );
};

/** Every event of the account. */
export const AuditPage = (): ReactElement => {
  const [values, setValues] = useFilters();
  const actors = useActors(values['actor']);
  const query = queryOf(values);
  const list = useCursorList(['events', query], 'events', (cursor, signal) =>
    api.get('/api/v1/events', { query: { ...query, limit: pageSize, cursor }, signal }),
  );
  const isTablet = useMedia(tablet);
  const columns = useMemo(() => columnsOf(isTablet), [isTablet]);
  const hrefOf = ({ id }: EventResponse): string =>
    `/audit?${new URLSearchParams({ ...values, event: id }).toString()}`;
  const isNewestFirst = query.order !== 'oldest' && query.until === undefined;
  return (
    <>
      <PageHeader title={strings.pages.audit} text={texts.text} actions={<Downloads query={query} />} />
      <FilterBar filters={filtersOf(actors)} values={values} onChange={setValues} />
      {isNewestFirst && !list.isLoading && (
        <NewEvents key={JSON.stringify(query)} first={list.rows[0]?.id} query={query} />
      )}
      <DataTable
        {...list}
        label={strings.pages.audit}
        columns={columns}
        rowKey={({ id }) => id}
        rowHref={hrefOf}
        empty={<EmptyState icon="audit" title={texts.emptyTitle} text={texts.emptyText} code={firstLine} />}
      />
      {values['event'] && <EventDialog id={values['event']} onClose={() => setValues({ event: '' })} />}
    </>
  );
};

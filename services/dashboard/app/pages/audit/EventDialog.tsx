import type { ReactElement } from 'react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { ActorName } from '../../components/ActorName.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { FieldList } from '../../components/FieldList.tsx';
import { Id } from '../../components/Id.tsx';
import { JsonView } from '../../components/JsonView.tsx';
import { ErrorNotice, Skeleton } from '../../components/notices.tsx';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { sentenceOf } from './event-texts.ts';

const texts = strings.audit;

/** One event with all that the event log says. */
export const EventDialog = ({ id, onClose }: { id: string; onClose: () => void }): ReactElement => {
  const {
    data: event,
    error,
    refetch,
  } = useQuery({
    queryKey: ['event', id],
    queryFn: ({ signal }) => api.get('/api/v1/events/{id}', { params: { id }, signal }),
    // An event never changes.
    staleTime: Infinity,
  });
  return (
    <Dialog onClose={onClose} title={event ? sentenceOf(event) : texts.eventTitle} size="large">
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!event && !error && <Skeleton lines={6} />}
      {event && (
        <div className="stack">
          <FieldList
            values={{
              [texts.type]: <span className="mono">{event.type}</span>,
              [texts.when]: <Time time={event.time} />,
              [texts.actor]: <ActorName actor={event.actor} />,
              [texts.subjectColumn]: event.subject === null ? strings.common.none : <Id id={event.subject} isLong />,
              [texts.request]: <Id id={event.request_id} isLong withoutLink />,
              [texts.trace]:
                event.trace_id === null ? strings.common.none : <Id id={event.trace_id} isLong withoutLink />,
              [texts.eventId]: <Id id={event.id} isLong withoutLink />,
            }}
          />
          <h3>{texts.rawEvent}</h3>
          <JsonView value={event} />
        </div>
      )}
    </Dialog>
  );
};

import type { ReactElement } from 'react';
import type { DeliveryRound } from '#contracts/http/deliveries.ts';
import { Id } from '../../components/Id.tsx';
import { Badge } from '../../components/StatusBadge.tsx';
import { Duration, Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { RequestAndResponse } from './RequestAndResponse.tsx';

const texts = strings.webhooks.delivery;

type Attempt = DeliveryRound['attempts'][number];

const OutcomeBadge = ({ response, error, duration_ms }: Attempt): ReactElement => {
  if (response) {
    const isAccepted = response.status >= 200 && response.status < 300;
    return <Badge tone={isAccepted ? 'success' : 'danger'}>HTTP {response.status}</Badge>;
  }
  if (error) return <Badge tone="danger">{texts.kinds[error.kind]}</Badge>;
  return duration_ms === null ? <Badge tone="info">{texts.underWay}</Badge> : <Badge>{texts.noResponse}</Badge>;
};

const AttemptDetails = ({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }): ReactElement => (
  <details className="fold webhook-attempt" open={isOpen}>
    <summary>
      <span className="webhook-attempt-name">{texts.attempt(attempt.attempt)}</span>
      <OutcomeBadge {...attempt} />
      <span className="webhook-attempt-times">
        {attempt.duration_ms !== null && <Duration ms={attempt.duration_ms} />}
        <Time time={attempt.started_at} />
      </span>
    </summary>
    {(attempt.duration_ms !== null || attempt.error) && <RequestAndResponse {...attempt} />}
    {attempt.next_attempt_at && (
      <p className="muted small">
        {texts.nextAttempt} <Time time={attempt.next_attempt_at} />
      </p>
    )}
  </details>
);

const Requester = ({ actor }: Pick<DeliveryRound, 'actor'>): ReactElement => {
  const { kind, id, name } = actor as { kind: string; id?: string; name?: string };
  if (kind === 'key' && id)
    return (
      <>
        {texts.requestedBy.key} <Id id={id} />
      </>
    );
  if (kind === 'person')
    return (
      <>
        {texts.requestedBy.person} {name}
      </>
    );
  return <>{texts.requestedBy.service}</>;
};

/** The rounds of a delivery, the newest first. The newest attempt is open. */
export const Attempts = ({ rounds }: { rounds: readonly DeliveryRound[] }): ReactElement => (
  <div className="stack">
    {rounds.map((round, roundIndex) => (
      <section key={round.round} className="stack" aria-labelledby={`round-${round.round}`}>
        <div className="row">
          <h3 id={`round-${round.round}`}>{texts.round(round.round)}</h3>
          <span className="muted small">
            <Time time={round.requested_at} /> <Requester actor={round.actor} />
          </span>
        </div>
        {round.attempts.length === 0 && <p className="muted">{texts.notStarted}</p>}
        {round.attempts.toReversed().map((attempt, index) => (
          <AttemptDetails key={attempt.started_at} attempt={attempt} isOpen={roundIndex === 0 && index === 0} />
        ))}
      </section>
    ))}
  </div>
);

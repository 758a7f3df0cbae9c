import type { ReactElement } from 'react';
import type { ConformanceViolation } from '#contracts/http/conformance.ts';
import type { FacturXViolation } from '#contracts/http/factur-x.ts';
import { strings } from '../strings/strings.ts';

type Violation = ConformanceViolation | FacturXViolation;

const placeOf = (violation: Violation): string =>
  ['line' in violation && violation.line !== null ? strings.common.line(violation.line) : null, violation.element]
    .filter((part) => part !== null)
    .join(', ');

/** What does not meet a standard: each place, what to change there, and the rule. Nothing for other errors. */
export const Violations = ({ error }: { error: Readonly<Record<string, unknown>> }): ReactElement | null => {
  const violations = error['violations'] as Violation[] | undefined;
  if (!Array.isArray(violations) || violations.length === 0) return null;
  const rows = violations.map((violation, index) => ({
    key: index,
    place: placeOf(violation),
    message: violation.message,
    rule: 'standard' in violation ? violation.standard : violation.rule,
  }));
  return (
    <>
      <p>{strings.errors.violations(rows.length, Number(error['total_violations'] ?? rows.length))}</p>
      <ul>
        {rows.map(({ key, place, message, rule }) => (
          <li key={key}>
            {place !== '' && <strong>{place}: </strong>}
            {message}
            {rule !== null && <span className="muted"> ({rule})</span>}
          </li>
        ))}
      </ul>
    </>
  );
};

import type { ReactElement, ReactNode } from 'react';
import type { RenderDetailResponse } from '#contracts/http/render-detail.ts';
import { ActorName } from '../../components/ActorName.tsx';
import { FieldList } from '../../components/FieldList.tsx';
import { Id } from '../../components/Id.tsx';
import { Link } from '../../components/Link.tsx';
import { Badge, StatusBadge } from '../../components/StatusBadge.tsx';
import { Bytes, Count, Duration, Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { documentText } from './DocumentName.tsx';

const texts = strings.renders;
const { fields } = texts;

const Document = ({ render, templateNames }: SummaryProps): ReactElement => {
  const { template_id: templateId, template_version: version } = render;
  const text = documentText(render, templateNames);
  return templateId === undefined ? (
    <>{render.url ?? text}</>
  ) : (
    <Link href={`/templates/${templateId}?version=${version}`}>{text}</Link>
  );
};

const Callback = ({
  render: { job_id: jobId, webhook_url: url, webhook_status: status },
}: Pick<SummaryProps, 'render'>) => (
  <span className="row">
    <Link href={`/webhooks/${jobId}`}>{url}</Link>
    {status && <StatusBadge status={status} />}
  </span>
);

type SummaryProps = { render: RenderDetailResponse; templateNames: ReadonlyMap<string, string> };

const valuesOf = ({ render, templateNames }: SummaryProps): Record<string, ReactNode> => ({
  [render.template_id === undefined ? fields.document : fields.template]: (
    <Document render={render} templateNames={templateNames} />
  ),
  [fields.requestedBy]: <ActorName actor={render.requested_by} />,
  [fields.created]: <Time time={render.created_at} />,
  [fields.duration]: render.duration_ms !== undefined && <Duration ms={render.duration_ms} />,
  [fields.pages]: render.pages !== undefined && <Count value={render.pages} />,
  [fields.output]: render.output,
  [fields.size]: render.pdf_size_bytes !== undefined && <Bytes bytes={render.pdf_size_bytes} />,
  [fields.fileName]: render.file_name,
  [fields.sha256]: render.pdf_sha256 && <Id id={render.pdf_sha256} withoutLink />,
  [fields.verified]: render.verification && (
    <span className="row">
      <Badge tone={render.verification.matches ? 'success' : 'danger'}>
        {render.verification.matches ? texts.verifiedSame : texts.verifiedOther}
      </Badge>
      <Time time={render.verification.time} format="relative" />
    </span>
  ),
  [fields.mode]: render.render_mode && <span title={render.render_mode_reason}>{render.render_mode}</span>,
  [fields.engine]: render.engine,
  [fields.attempts]: render.attempts > 1 && <Count value={render.attempts} />,
  [fields.kept]: render.pdf_expires_at && <Time time={render.pdf_expires_at} />,
  [fields.job]: render.job_id && <Id id={render.job_id} withoutLink={render.webhook_url === undefined} />,
  [fields.callback]: render.webhook_url && <Callback render={render} />,
  [fields.repeatedFrom]: render.repeated_from && <Id id={render.repeated_from} />,
  [fields.request]: <Id id={render.request_id} withoutLink />,
  [fields.trace]: render.trace_id && <Id id={render.trace_id} withoutLink />,
});

/** What the record says about a render. */
export const RenderSummary = (props: SummaryProps): ReactElement => <FieldList values={valuesOf(props)} />;

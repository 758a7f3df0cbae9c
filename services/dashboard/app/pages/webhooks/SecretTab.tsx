import { type ReactElement, useEffect, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { WebhookSecretResponse } from '#contracts/http/webhook.ts';
import { api } from '../../api/client.ts';
import { useDenialReason } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { type CodeSample, CodeTabs } from '../../components/CodeBlock.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { ConfirmDialog } from '../../components/FormDialog.tsx';
import { ErrorNotice } from '../../components/notices.tsx';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import java from './code/Verify.java?raw';
import send from './code/send.sh?raw';
import go from './code/verify.go?raw';
import node from './code/verify.mjs?raw';
import php from './code/verify.php?raw';
import python from './code/verify.py?raw';
import shell from './code/verify.sh?raw';

/** The code of docs/callbacks.md, which a test runs. */
const verificationSamples: CodeSample[] = [
  { name: 'curl', code: `${shell}\n${send}` },
  { name: 'Node.js', code: node },
  { name: 'Python', code: python },
  { name: 'PHP', code: php },
  { name: 'Go', code: go },
  { name: 'Java', code: java },
];

const texts = strings.webhooks.secret;
const shownMs = 60_000;

type SecretProps = { label: string; secret: string; note: string; time: string };

const Secret = ({ label, secret, note, time }: SecretProps): ReactElement => (
  <div className="webhook-secret">
    <p className="field-label">
      {label} <span className="muted">· {note} </span>
      <Time time={time} />
    </p>
    <div className="webhook-secret-value">
      <code>{secret}</code>
      <CopyButton text={secret} label={texts.copy} />
    </div>
  </div>
);

const Secrets = ({ secrets }: { secrets: WebhookSecretResponse }): ReactElement => (
  <div className="stack">
    <Secret label={texts.current} secret={secrets.secret} note={texts.created} time={secrets.created_at} />
    {secrets.previous.map(({ secret, valid_until: until }) => (
      <Secret key={secret} label={texts.previous} secret={secret} note={texts.validUntil} time={until} />
    ))}
    <p className="muted small">{texts.hides}</p>
  </div>
);

/** Shows the secret on demand. It is kept in this component alone, and forgotten after a minute. */
const SecretCard = (): ReactElement => {
  const [secrets, setSecrets] = useState<WebhookSecretResponse | null>(null);
  const [isRotating, setRotating] = useState(false);
  const readDenialReason = useDenialReason('webhook_secret:read');
  const writeDenialReason = useDenialReason('webhook_secret:write');
  useEffect(() => {
    if (!secrets) return undefined;
    const timer = setTimeout(() => setSecrets(null), shownMs);
    return () => clearTimeout(timer);
  }, [secrets]);

  const reveal = useMutation({ mutationFn: async () => setSecrets(await api.get('/api/v1/webhook-secret')) });

  return (
    <Card
      title={texts.title}
      aside={
        <div className="row webhook-secret-actions">
          <Button
            isPending={reveal.isPending}
            disabledReason={readDenialReason}
            onPress={() => (secrets ? setSecrets(null) : reveal.mutate())}
          >
            {secrets ? texts.hide : texts.reveal}
          </Button>
          <Button icon="refresh" disabledReason={writeDenialReason} onPress={() => setRotating(true)}>
            {texts.rotate}
          </Button>
        </div>
      }
    >
      <div className="stack">
        <p className="muted">{texts.text}</p>
        {secrets ? (
          <Secrets secrets={secrets} />
        ) : (
          <p className="webhook-secret-value" role="img" aria-label={texts.hidden}>
            <code aria-hidden="true">whsec_{'•'.repeat(24)}</code>
          </p>
        )}
        {reveal.error && <ErrorNotice error={reveal.error} />}
      </div>
      {isRotating && (
        <ConfirmDialog
          title={texts.rotateTitle}
          confirmText={texts.rotateConfirm}
          isDangerous
          onConfirm={async () => setSecrets(await api.post('/api/v1/webhook-secret/rotate'))}
          done={texts.rotated}
          onClose={() => setRotating(false)}
        >
          {texts.rotateText.map((text) => (
            <p key={text}>{text}</p>
          ))}
          <p className="muted small">{texts.headerNote}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
};

/** The secret of the account, and how a receiver verifies with it. */
export const SecretTab = (): ReactElement => (
  <div className="stack-lg">
    <SecretCard />
    <Card title={strings.webhooks.verify.title}>
      <div className="stack">
        <p className="muted">{strings.webhooks.verify.text}</p>
        <CodeTabs samples={verificationSamples} label={strings.webhooks.verify.label} />
      </div>
    </Card>
  </div>
);

import type { Command } from 'commander';
import { enginesWithInstallationId } from '#application/installation/engines-with-installation-id.ts';
import { acceptBlobStore, ownershipOf } from '#application/installation/installation-ids.ts';
import { acceptSecret, loadInstallation } from '#application/installation/secret.ts';
import { readSecretFile } from '#libs/secrets/secret-file.ts';
import { configuredSecrets, fingerprintOf } from '#libs/secrets/installation-secret.ts';
import { wantsJson } from './arguments.ts';
import { type CommandContext, withUncheckedEngines, UsageError } from '../process/command-context.ts';
import { print, table } from './output.ts';

const requireInstallation = async ({ eventLog }: Pick<CommandContext, 'eventLog'>) => {
  const aggregate = await loadInstallation(eventLog);
  if (aggregate.state.status === 'NONE')
    throw new UsageError(
      'The event log that EVENT_STORE_URL names has no installation yet; the first start, or any other command, creates it.',
    );
  return { aggregate, state: aggregate.state };
};

/** Whose a secret is. */
const secretOwnership = (found: string | null, own: string): 'own' | 'none' | 'other' =>
  found === null ? 'none' : found === own ? 'own' : 'other';

const showInstallation = (json: boolean): Promise<void> =>
  withUncheckedEngines(async (context) => {
    const { state } = await requireInstallation(context);
    const { settings, engines } = context;
    const secret = configuredSecrets(settings).current ?? readSecretFile(settings.dataDir);
    const fingerprint = secret && fingerprintOf(secret);
    const marks = await Promise.all(
      enginesWithInstallationId(engines, settings).map(async ({ kind, setting, engine }) => ({
        part: kind,
        setting,
        mark: await engine.installationId(),
      })),
    );
    const rows = marks.map((one) => ({ ...one, belongs: ownershipOf(one.part, one.mark, state) }));
    const shown = {
      id: state.id,
      secret_fingerprint: state.secretFingerprint,
      secret: { fingerprint, belongs: secretOwnership(fingerprint, state.secretFingerprint) },
      engines: rows,
    };
    const head = `Installation ${state.id}, whose secret has the fingerprint ${state.secretFingerprint}; here it is ${fingerprint ?? 'missing'}.`;
    print(json, shown, `${head}\n\n${table(rows)}`);
  });

const runAcceptSecret = (json: boolean): Promise<void> =>
  withUncheckedEngines(async (context) => {
    const { state } = await requireInstallation(context);
    const fingerprint = await acceptSecret(context.eventLog, context.settings, context.actor);
    const changed = fingerprint !== state.secretFingerprint;
    const what =
      'Every account now has another webhook secret ("colophon account webhook-secret" shows it). Download links of the former secret are no longer valid, and callbacks under way that were sealed with it fail. ' +
      'Start all processes again with this secret.';
    print(
      json,
      { fingerprint, changed },
      changed
        ? `The installation now has the secret with the fingerprint ${fingerprint}. ${what}`
        : 'Nothing has changed: this is the secret of the installation already.',
    );
  });

const runAcceptBlobStore = (json: boolean): Promise<void> =>
  withUncheckedEngines(async (context) => {
    const { aggregate } = await requireInstallation(context);
    const [blobs] = enginesWithInstallationId(context.engines, context.settings);
    const changed = await acceptBlobStore(aggregate, blobs, context.actor);
    print(
      json,
      { changed },
      changed
        ? `The blob store that ${blobs.setting} names is that of the installation from now on.`
        : 'Nothing has changed: this is the blob store of the installation already, or the installation had none before.',
    );
  });

/** `colophon installation ...` */
export const addInstallationCommands = (program: Command): void => {
  const installation = program
    .command('installation')
    .description('what belongs together: event log, secret, blobs, bus, read models');
  installation
    .command('show')
    .description('the installation of the event log, and whether secret and engines belong to it')
    .action((_: unknown, command: Command) => showInstallation(wantsJson(command)));
  installation
    .command('accept-secret')
    .description(
      'make the secret of COLOPHON_SECRET or secret.key (a new one if there is none) the secret of the installation, after the former one was lost or has leaked',
    )
    .action((_: unknown, command: Command) => runAcceptSecret(wantsJson(command)));
  installation
    .command('accept-blobs')
    .description(
      'make the blob store of BLOB_STORE_URL the blob store of the installation, after the former one was lost',
    )
    .action((_: unknown, command: Command) => runAcceptBlobStore(wantsJson(command)));
};

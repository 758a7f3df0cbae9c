import type { CliCommand } from './cli-command.ts';
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
      'The event log of EVENT_STORE_URL has no installation yet. "colophon start" and "colophon account create" create it.',
    );
  return { aggregate, state: aggregate.state };
};

const secretOwnership = (fingerprint: string | null, installationFingerprint: string): 'own' | 'none' | 'other' =>
  fingerprint === null ? 'none' : fingerprint === installationFingerprint ? 'own' : 'other';

const showInstallation = (json: boolean): Promise<void> =>
  withUncheckedEngines(async (context) => {
    const { state } = await requireInstallation(context);
    const { settings, engines } = context;
    const secret = configuredSecrets(settings).current ?? readSecretFile(settings.dataDir);
    const fingerprint = secret && fingerprintOf(secret);
    const engineIds = await Promise.all(
      enginesWithInstallationId(engines, settings).map(async ({ kind, setting, engine }) => ({
        engine: kind,
        setting,
        installation_id: await engine.installationId(),
      })),
    );
    const rows = engineIds.map((row) => ({ ...row, ownership: ownershipOf(row.engine, row.installation_id, state) }));
    const result = {
      id: state.id,
      secret_fingerprint: state.secretFingerprint,
      secret: { fingerprint, ownership: secretOwnership(fingerprint, state.secretFingerprint) },
      engines: rows,
    };
    const head =
      `Installation ${state.id}. The fingerprint of its secret is ${state.secretFingerprint}; ` +
      (fingerprint ? `the configured secret has ${fingerprint}.` : 'no secret is configured.');
    print(json, result, `${head}\n\n${table(rows)}`);
  });

const runAcceptSecret = (json: boolean): Promise<void> =>
  withUncheckedEngines(async (context) => {
    const { state } = await requireInstallation(context);
    const fingerprint = await acceptSecret(context.eventLog, context.settings, context.actor);
    const changed = fingerprint !== state.secretFingerprint;
    const consequences =
      'Every account now has a new webhook secret ("colophon account webhook-secret" shows it). Download links made with ' +
      'the previous secret are no longer valid, and open callbacks that were encrypted with it fail. ' +
      'Restart all processes with this secret.';
    print(
      json,
      { fingerprint, changed },
      changed
        ? `The installation now has the secret with the fingerprint ${fingerprint}. ${consequences}`
        : 'Nothing changed: this is already the installation secret.',
    );
  });

const runAcceptBlobStore = (json: boolean): Promise<void> =>
  withUncheckedEngines(async (context) => {
    const { aggregate } = await requireInstallation(context);
    const blobs = enginesWithInstallationId(context.engines, context.settings)[0]!;
    const changed = await acceptBlobStore(aggregate, blobs, context.actor);
    print(
      json,
      { changed },
      changed
        ? `The blob store of ${blobs.setting} now belongs to the installation.`
        : 'Nothing changed: this blob store already belongs to the installation, or the installation had none before.',
    );
  });

/** `colophon installation ...` */
export const addInstallationCommands = (program: CliCommand): void => {
  const installation = program
    .command('installation')
    .description('the parts of an installation: event log, secret, blobs, bus, read models')
    .examples('installation show', 'installation accept-secret');
  installation
    .command('show')
    .description('show the installation of the event log, and whether secret and engines belong to it')
    .examples('installation show')
    .action((_: unknown, command: CliCommand) => showInstallation(wantsJson(command)));
  installation
    .command('accept-secret')
    .description(
      'use the secret of COLOPHON_SECRET or secret.key (a new one if there is none) as the installation secret, ' +
        'after the previous one was lost or leaked',
    )
    .examples('installation accept-secret')
    .action((_: unknown, command: CliCommand) => runAcceptSecret(wantsJson(command)));
  installation
    .command('accept-blobs')
    .description('use the blob store of BLOB_STORE_URL for the installation, after the previous one was lost')
    .examples('installation accept-blobs')
    .action((_: unknown, command: CliCommand) => runAcceptBlobStore(wantsJson(command)));
};

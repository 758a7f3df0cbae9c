import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as keda from '@kubernetes-models/keda/keda.sh/v1alpha1';
import * as apps from 'kubernetes-models/apps/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { processRoles } from '../../services/process/running-role.ts';

const chart = fileURLToPath(new URL('../../deploy/helm/colophon', import.meta.url));
const builtHelm = fileURLToPath(new URL('../../.setup/helm/helm', import.meta.url));
const executable = existsSync(builtHelm) ? builtHelm : 'helm';
const helm = (...args: string[]) => spawnSync(executable, args, { encoding: 'utf8' });
const hasHelm = helm('version').status === 0;

type Container = {
  args: string[];
  lifecycle?: object;
  livenessProbe?: object;
  readinessProbe?: object;
  startupProbe?: object;
  resources: { limits: { memory: string } };
  securityContext: object;
};
type Spec = {
  replicas?: number;
  template: { spec: { containers: [Container]; securityContext: { seccompProfile: object } } };
  egress: unknown;
  scaleTargetRef: { name: string };
};
type Manifest = { apiVersion: string; kind: string; metadata: { name: string }; spec: Spec };
type Model = new (data: never) => { validate(): void };
const models: Record<string, Model> = {
  'apps/v1/DaemonSet': apps.DaemonSet,
  'apps/v1/StatefulSet': apps.StatefulSet,
  'apps/v1/Deployment': apps.Deployment,
  'v1/ConfigMap': core.ConfigMap,
  'v1/Service': core.Service,
  'networking.k8s.io/v1/Ingress': networking.Ingress,
  'networking.k8s.io/v1/NetworkPolicy': networking.NetworkPolicy,
  'policy/v1/PodDisruptionBudget': policy.PodDisruptionBudget,
  'keda.sh/v1alpha1/ScaledObject': keda.ScaledObject,
};

const template = (...settings: string[]) =>
  helm('template', 'test', chart, '--kube-version', '1.31.0', ...settings.flatMap((setting) => ['--set', setting]));
const rendered = (...settings: string[]): Manifest[] => {
  const { status, stdout, stderr } = template(...settings);
  expect(status, stderr).toBe(0);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest)
    .filter((manifest) => manifest !== null);
};
const ofKind = (all: Manifest[], kind: string): Manifest[] => all.filter((manifest) => manifest.kind === kind);

it('The engines to try the service on Kubernetes have valid manifests', () => {
  const engines = readFileSync(new URL('../../deploy/kubernetes/engines.yaml', import.meta.url), 'utf8');
  const all = parseAllDocuments(engines).map((document) => document.toJS() as Manifest);
  expect(ofKind(all, 'StatefulSet').map(({ metadata }) => metadata.name)).toEqual(['kurrentdb', 'nats', 'mongodb']);
  for (const manifest of all) {
    const Model = models[`${manifest.apiVersion}/${manifest.kind}`]!;
    expect(() => new Model(manifest as never).validate(), manifest.metadata.name).not.toThrow();
  }
});

// oxlint-disable-next-line vitest/valid-title -- skipped without Helm
describe.skipIf(!hasHelm)('The Helm chart', () => {
  it.each(
    [
      [],
      ['ingress.enabled=true', 'ingress.tlsSecret=tls', 'ingress.className=nginx'],
      ['roles.renderer.autoscaling.enabled=true'],
      ['seccomp.install=true'],
      ['seccomp.type=Unconfined'],
      ['image.pullSecrets={one}'],
    ].map((settings) => ({ settings })),
  )('renders valid Kubernetes and KEDA manifests with $settings', ({ settings }) => {
    const all = rendered(...settings);
    expect(all.length).toBeGreaterThan(10);
    for (const manifest of all) {
      const Model = models[`${manifest.apiVersion}/${manifest.kind}`]!;
      expect(Model, `${manifest.apiVersion}/${manifest.kind}`).toBeDefined();
      expect(() => new Model(manifest as never).validate(), `${manifest.kind} ${manifest.metadata.name}`).not.toThrow();
    }
  });

  it('runs every role with probes, a memory limit and no privileges', () => {
    const deployments = ofKind(rendered(), 'Deployment');
    const containers = deployments.map(({ spec }) => spec.template.spec.containers[0]);
    expect(containers.flatMap(({ args }) => args.slice(1)).toSorted()).toEqual([...processRoles].toSorted());
    for (const container of containers) {
      expect([container.livenessProbe, container.readinessProbe, container.startupProbe].every(Boolean)).toBe(true);
      expect(container.resources.limits.memory).toBeTruthy();
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    expect(ofKind(rendered(), 'PodDisruptionBudget')).toHaveLength(deployments.length);
  });

  it('lets a pod of the API serve for five more seconds', () => {
    const delayed = ofKind(rendered(), 'Deployment')
      .map(({ metadata, spec }) => ({ name: metadata.name, lifecycle: spec.template.spec.containers[0].lifecycle }))
      .filter(({ lifecycle }) => lifecycle !== undefined);
    expect(delayed).toEqual([{ name: 'test-api', lifecycle: { preStop: { sleep: { seconds: 5 } } } }]);
  });

  it('allows only renderers and webhook deliveries to reach the internet, and no role to reach private addresses', () => {
    const out = ofKind(rendered(), 'NetworkPolicy').filter(({ spec }) =>
      JSON.stringify(spec.egress).includes('0.0.0.0/0'),
    );
    expect(out.map(({ metadata }) => metadata.name)).toEqual(['test-delivery', 'test-renderer']);
    for (const { spec } of out) expect(JSON.stringify(spec.egress)).toContain('169.254.0.0/16');
  });

  it('needs no KEDA unless it is asked for', () => {
    expect(ofKind(rendered(), 'ScaledObject')).toEqual([]);
  });

  it('gives the renderers the seccomp profile, installs it on request, and works without one', () => {
    const profileOf = (...settings: string[]) =>
      ofKind(rendered(...settings), 'Deployment').find(({ metadata }) => metadata.name === 'test-renderer')!.spec
        .template.spec.securityContext.seccompProfile;
    expect(profileOf()).toEqual({ type: 'Localhost', localhostProfile: 'profiles/colophon.json' });
    expect(profileOf('seccomp.type=Unconfined')).toEqual({ type: 'Unconfined' });
    expect(ofKind(rendered(), 'DaemonSet')).toEqual([]);
    const all = rendered('seccomp.install=true');
    expect(ofKind(all, 'DaemonSet')).toHaveLength(1);
    const [{ data }] = ofKind(all, 'ConfigMap') as unknown as [{ data: Record<string, string> }];
    expect(JSON.parse(data['seccomp.json']!)).toEqual(
      JSON.parse(readFileSync(new URL('../../deploy/seccomp.json', import.meta.url), 'utf8')),
    );
  });

  it('scales the renderers by the length of the queue', () => {
    const all = rendered('roles.renderer.autoscaling.enabled=true');
    const [scaled] = ofKind(all, 'ScaledObject');
    const renderer = ofKind(all, 'Deployment').find(
      ({ metadata }) => metadata.name === scaled!.spec.scaleTargetRef.name,
    )!;
    expect(renderer.spec.replicas).toBeUndefined();
  });

  it('refuses unknown values', () => {
    expect(template('roles.renderer.replica=3').status).not.toBe(0);
    expect(template('baseUrl=colophon').status).not.toBe(0);
  });
});

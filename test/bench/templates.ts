import { measure } from './raw-limit.ts';
import { printHeading, printMeasurement, printTarget } from './report.ts';
import { type Bench, requireStatus, withBenchService } from './service.ts';

const content = '<h1>{{title}}</h1>{{#each items}}<p>{{this}}</p>{{/each}}';

type Tenant = { authorization: string; templates: string[] };

const openTenant = async ({ installation, request }: Bench, number: number, templates: number): Promise<Tenant> => {
  const { id } = await installation.runJsonCommand<{ id: string }>(
    'account',
    'create',
    '--name',
    `tenant ${number}`,
    '--plan',
    'enterprise',
  );
  const { key } = await installation.runJsonCommand<{ key: string }>(
    'key',
    'create',
    '--account',
    id,
    '--type',
    'live',
  );
  const authorization = `Bearer ${key}`;
  const ids: string[] = [];
  for (let index = 0; index < templates; index += 1) {
    const made = requireStatus(
      await request(
        'POST',
        '/api/v1/templates',
        JSON.stringify({ name: `template ${index}`, content, category: index % 2 ? 'invoice' : 'report' }),
        { authorization },
      ),
      201,
    );
    ids.push((JSON.parse(made.toString()) as { id: string }).id);
  }
  return { authorization, templates: ids };
};

export const templateReads = async (accounts: number, templates: number, requests: number): Promise<void> => {
  printHeading(`GET of templates, ${accounts} accounts with ${templates} each`);
  await withBenchService({}, async (bench) => {
    const tenants: Tenant[] = [];
    for (let number = 0; number < accounts; number += 1) tenants.push(await openTenant(bench, number, templates));
    const tenant = (index: number): Tenant => tenants[index % tenants.length]!;
    const list = await measure(requests, 1, async (_, index) =>
      requireStatus(
        await bench.request('GET', '/api/v1/templates?limit=20', undefined, {
          authorization: tenant(index).authorization,
        }),
      ),
    );
    const single = await measure(requests, 1, async (_, index) => {
      const { authorization, templates: ids } = tenant(index);
      requireStatus(
        await bench.request('GET', `/api/v1/templates/${ids[index % ids.length]}`, undefined, { authorization }),
      );
    });
    for (const [name, figure] of [
      ['list', list],
      ['single read', single],
    ] as const) {
      printMeasurement(name, figure);
      printTarget(`${name} of templates, median`, figure.p50Ms, 'at most', 5, ' ms');
      printTarget(`${name} of templates, p99`, figure.p99Ms, 'at most', 20, ' ms');
    }
  });
};

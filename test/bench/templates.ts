import { measure } from './raw-limit.ts';
import { heading, sayFigure, sayPromise } from './report.ts';
import { type Bench, must, withService } from './service.ts';

const content = '<h1>{{title}}</h1>{{#each items}}<p>{{this}}</p>{{/each}}';

type Tenant = { authorization: string; templates: string[] };

const openTenant = async ({ house, ask }: Bench, number: number, templates: number): Promise<Tenant> => {
  const { id } = await house.colophon<{ id: string }>('account', 'create', '--name', `tenant ${number}`, '--plan', 'enterprise');
  const { key } = await house.colophon<{ key: string }>('key', 'create', '--account', id, '--type', 'live');
  const authorization = `Bearer ${key}`;
  const ids: string[] = [];
  for (let index = 0; index < templates; index += 1) {
    const made = must(await ask('POST', '/api/v1/templates', JSON.stringify({ name: `template ${index}`, content, category: index % 2 ? 'invoice' : 'report' }), { authorization }), 201);
    ids.push((JSON.parse(made.toString()) as { id: string }).id);
  }
  return { authorization, templates: ids };
};

export const templateReads = async (accounts: number, templates: number, requests: number): Promise<void> => {
  heading(`GET of templates, ${accounts} accounts with ${templates} each`);
  await withService({}, async (bench) => {
    const tenants: Tenant[] = [];
    for (let number = 0; number < accounts; number += 1) tenants.push(await openTenant(bench, number, templates));
    const tenant = (index: number): Tenant => tenants[index % tenants.length]!;
    const list = await measure(requests, 1, async (_, index) => must(await bench.ask('GET', '/api/v1/templates?limit=20', undefined, { authorization: tenant(index).authorization })));
    const single = await measure(requests, 1, async (_, index) => {
      const { authorization, templates: ids } = tenant(index);
      must(await bench.ask('GET', `/api/v1/templates/${ids[index % ids.length]}`, undefined, { authorization }));
    });
    for (const [name, figure] of [['list', list], ['single read', single]] as const) {
      sayFigure(name, figure);
      sayPromise(`${name} of templates, median`, figure.p50Ms, 'at most', 5, ' ms');
      sayPromise(`${name} of templates, p99`, figure.p99Ms, 'at most', 20, ' ms');
    }
  });
};

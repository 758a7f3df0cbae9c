import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dashboard, drawn, expressions, rules } from '../support/telemetry/observability-files.ts';
import { parsePromql } from '../support/telemetry/promql.ts';

describe('The dashboard', () => {
  it('has panels on the grid, without overlaps, with unique ids', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(dashboard.panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  it('uses only labels of the results in its legends', () => {
    for (const { from, expr, legendFormat } of drawn) {
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!);
      const { groupingLabels } = parsePromql(expr);
      const left = groupingLabels.length > 0 ? groupingLabels : ['instance', 'browser'];
      expect(
        named.filter((name) => !left.includes(name)),
        `${from}: ${legendFormat}`,
      ).toEqual([]);
    }
  });

  it('defines every variable of its queries', () => {
    const names = new Set([...dashboard.templating.list.map(({ name }) => name), '__rate_interval']);
    const used = expressions.flatMap(({ expr }) => [...expr.matchAll(/\$(\w+)/g)].map(([, name]) => name!));
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });
});

it('The alerts quote only log messages and panels that exist', () => {
  const sources = globSync('{application,libs,services}/**/*.ts', { exclude: ['**/*.test.ts'] });
  const code = sources.map((file) => readFileSync(file, 'utf8')).join('\n');
  const titles = new Set(dashboard.panels.map(({ title }) => title));
  const quoted = rules.flatMap(({ annotations }) =>
    [...annotations.description.matchAll(/"(.+?)"/g)].map(([, one]) => one!),
  );
  expect(quoted.length).toBeGreaterThan(0);
  expect(
    quoted.filter((one) => !titles.has(one) && !code.includes(`'${one}',`) && !code.includes(`'${one}')`)),
  ).toEqual([]);
});

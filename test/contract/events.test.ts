import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type EventOf, eventSchemas, isEventType } from '#contracts/events/event-schemas.ts';
import { metadata } from '#contracts/events/metadata.ts';
import { upcast, versionOf } from '#contracts/events/upcast.ts';
import { account } from '#libs/domain/account.ts';
import { apiKey } from '#libs/domain/api-key.ts';
import { type Decider, fold } from '#libs/domain/decider.ts';
import { delivery } from '#libs/domain/delivery.ts';
import { idempotency } from '#libs/domain/idempotency.ts';
import { installation } from '#libs/domain/installation.ts';
import { members } from '#libs/domain/members.ts';
import { person } from '#libs/domain/person.ts';
import { render } from '#libs/domain/render.ts';
import { session } from '#libs/domain/session.ts';
import { signInLink } from '#libs/domain/sign-in-link.ts';
import { templateSlots } from '#libs/domain/template-slots.ts';
import { templateName } from '#libs/domain/template-name.ts';
import { template } from '#libs/domain/template.ts';
import { webhookTest } from '#libs/domain/webhook-test.ts';

type Recorded = { type: string; version: number; data: unknown; metadata: unknown };
type Fixture = { given: string[]; event: Recorded; state: unknown };
type Group = Record<string, z.ZodType>;

const contracts = new URL('../../contracts/events/', import.meta.url);
const released = new URL('../fixtures/events/', import.meta.url);

/** By the name that the events of a stream kind are exported under. */
const deciders: Record<string, Decider<unknown, never, EventOf>> = Object.fromEntries(
  Object.entries({
    accountEvents: account,
    apiKeyEvents: apiKey,
    deliveryEvents: delivery,
    idempotencyEvents: idempotency,
    installationEvents: installation,
    memberEvents: members,
    personEvents: person,
    renderEvents: render,
    sessionEvents: session,
    signInLinkEvents: signInLink,
    templateEvents: template,
    templateNameEvents: templateName,
    templateSlotEvents: templateSlots,
    webhookTestEvents: webhookTest,
  }).map(([name, decider]) => [name, decider as unknown as Decider<unknown, never, EventOf>]),
);

const readGroups = async (): Promise<[string, Group][]> => {
  const files = (await readdir(contracts)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const isSchema = (value: unknown): boolean => typeof value === 'object' && value !== null && '_zod' in value;
  const isGroup = ([name, value]: [string, unknown]): boolean =>
    name.endsWith('Events') && Object.values(value as object).every(isSchema);
  const modules = await Promise.all(
    files.map(async (name) => (await import(new URL(name, contracts).href)) as Record<string, unknown>),
  );
  return modules.flatMap((module) => Object.entries(module).filter(isGroup) as [string, Group][]);
};

const readFixtures = async (): Promise<Map<string, Fixture>> => {
  const names = (await readdir(released)).filter((name) => name.endsWith('.json'));
  const entries = await Promise.all(
    names.map(
      async (name) =>
        [
          name.slice(0, -'.json'.length),
          JSON.parse(await readFile(new URL(name, released), 'utf8')) as Fixture,
        ] as const,
    ),
  );
  return new Map(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

const groups = await readGroups();
const fixtures = await readFixtures();
const types = groups.flatMap(([group, schemas]) =>
  Object.entries(schemas).map(([type, schema]) => ({ type, schema, group })),
);
const groupOf = ({ type }: Recorded) => types.find((one) => one.type === type)!;

/** Every version that a type has had, the present one included. */
const shapes = types.flatMap(({ type }) =>
  Array.from({ length: versionOf(type) }, (_, index) => `${type}.v${index + 1}`),
);
const isOfShape = (name: string, shape: string): boolean => name === shape || name.startsWith(`${shape}.`);

it('an event without a schema, or with the data of another, does not compile', () => {
  const events: EventOf[] = [
    { type: 'RenderStarted', data: { attempt: 1, worker: 'a', queueMs: 0 } },
    // @ts-expect-error There is no such type.
    { type: 'RenderImagined', data: {} },
    // @ts-expect-error The data is that of another type.
    { type: 'RenderCompleted', data: { attempt: 1, worker: 'a', queueMs: 0 } },
  ];
  expect(events.map(({ type, data }) => isEventType(type) && eventSchemas[type].safeParse(data).success)).toEqual([
    true,
    false,
    false,
  ]);
});

describe('every event shape ever released', () => {
  it('belongs to one type and one kind of stream, and is folded by its decider', () => {
    expect(types.length).toBeGreaterThan(10);
    expect(types.map(({ type }) => type)).toEqual([...new Set(types.map(({ type }) => type))]);
    expect(Object.entries(eventSchemas)).toEqual(types.map(({ type, schema }) => [type, schema]));
    expect(Object.keys(deciders).toSorted()).toEqual(groups.map(([name]) => name).toSorted());
  });

  it.each(shapes)('is kept as a fixture: %s', (shape) => {
    expect([...fixtures.keys()].filter((name) => isOfShape(name, shape))).not.toEqual([]);
  });

  it.each([...fixtures])('is still read with the same content: %s', (name, { event }) => {
    expect(isOfShape(name, `${event.type}.v${event.version}`)).toBe(true);
    const present = upcast(event);
    const { schema } = groupOf(event);
    expect(schema.parse(present.data)).toMatchObject(present.data as object);
    expect(metadata.parse(event.metadata)).toEqual(event.metadata);
  });

  it.each([...fixtures])('still folds to the same state: %s', (_, { given, event, state }) => {
    const history = [...given.map((name) => fixtures.get(name)!.event), event];
    const { group } = groupOf(event);
    expect(history.map((one) => groupOf(one).group)).toEqual(history.map(() => group));
    expect(fold(deciders[group]!, history.map(upcast) as readonly unknown[] as readonly EventOf[])).toEqual(state);
  });

  it('has every variant of its unions among the fixtures', () => {
    const variants = types.flatMap(({ type, schema }) => variantsOf(schema).map((variant) => `${type} ${variant}`));
    const seen = new Set(
      [...fixtures.values()].flatMap(({ event }) =>
        variantsIn(event.data).map((variant) => `${event.type} ${variant}`),
      ),
    );
    expect(variants.length).toBeGreaterThan(5);
    expect(variants.filter((variant) => !seen.has(variant))).toEqual([]);
  });
});

type Definition = {
  type: string;
  shape?: Record<string, z.ZodType>;
  options?: z.ZodType[];
  discriminator?: string;
  innerType?: z.ZodType;
  element?: z.ZodType;
  values?: unknown[];
  entries?: Record<string, unknown>;
};
const definitionOf = (schema: z.ZodType): Definition => schema.def;
const literalsOf = ({ values, entries }: Definition): unknown[] => values ?? Object.values(entries ?? {});

/** `field=value` for each value of the field that tells the variants of a union apart. */
function variantsOf(schema: z.ZodType): string[] {
  const { shape = {}, options = [], discriminator, innerType, element } = definitionOf(schema);
  const own = discriminator
    ? options.flatMap((option) =>
        literalsOf(definitionOf(definitionOf(option).shape?.[discriminator] ?? option)).map(
          (value) => `${discriminator}=${String(value)}`,
        ),
      )
    : [];
  const within = [...Object.values(shape), ...options, ...[innerType, element].filter((one) => one !== undefined)];
  return [...own, ...within.flatMap(variantsOf)];
}

function variantsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, one]) => [
    ...(typeof one === 'string' ? [`${field}=${one}`] : []),
    ...variantsIn(one),
  ]);
}

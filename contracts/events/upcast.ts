type Versioned = { type: string; version: number; data: unknown };

/** Converts the data of an event from one version to the next. Pure, and never changed after its release. */
export type Step = (data: never) => unknown;

/**
 * The steps of each event type. The first one converts version 1 to version 2. A type without steps is at version 1.
 */
export type Steps = Readonly<Record<string, readonly Step[]>>;

/** The event was written by a later release. */
export class UnknownEventVersionError extends Error {
  constructor({ type, version }: Versioned, known: number) {
    super(`event ${type} has version ${version}; this release knows versions up to ${known}`);
    this.name = 'UnknownEventVersionError';
  }
}

/**
 * `versionOf` gives the current version of an event type; `upcast` converts a recorded event to it. @throws
 * UnknownEventVersionError
 */
export const createUpcaster = (steps: Steps) => {
  const stepsOf = (type: string): readonly Step[] => (Object.hasOwn(steps, type) ? steps[type]! : []);
  const versionOf = (type: string): number => stepsOf(type).length + 1;

  const upcast = <Event extends Versioned>(event: Event): Event => {
    const version = versionOf(event.type);
    if (event.version === version) return event;
    if (event.version > version) throw new UnknownEventVersionError(event, version);
    const data = stepsOf(event.type)
      .slice(event.version - 1)
      .reduce<unknown>((before, step) => step(before as never), event.data);
    return { ...event, version, data };
  };

  return { versionOf, upcast };
};

const upcastSteps: Steps = {};

export const { versionOf, upcast } = createUpcaster(upcastSteps);

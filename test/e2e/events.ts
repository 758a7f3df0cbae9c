import type { Body } from './client.ts';
import type { House } from './service.ts';

export type Event = { type: string; revision: number; position: number; data: Body; metadata: Body & { actor: Body } };

/** The events of a render, by the command line; `id` as callers know it. */
export const eventsOf = (house: House, id: unknown): Promise<Event[]> => house.colophon<Event[]>('events', String(id).replace('_', '-'));

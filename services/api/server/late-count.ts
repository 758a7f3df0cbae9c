import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Limits } from '#libs/limits/port.ts';
import { callerOf } from './request.ts';
import { countRequest, minuteOf, requireRoomInMinute } from './rate-limit.ts';

const uncounted = new WeakSet<FastifyRequest>();

/** Where asynchronous renders are exempt from the limit of the minute, these are let in first and counted when their body has told what they are. */
export const mayBeExempt = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.route?.isAsynchronous !== undefined;

/** Leaves a request uncounted until its body is read. */
export const countLater = (request: FastifyRequest): void => void uncounted.add(request);

const isAsynchronous = ({ routeOptions, body }: FastifyRequest): boolean =>
  routeOptions.config.route?.isAsynchronous?.(body) ?? false;

/** Counts a request that was to be counted later; an asynchronous render stays uncounted. Harmless where there is nothing to count. */
export const countLate = async (limits: Limits, request: FastifyRequest, reply: FastifyReply, now: Date): Promise<void> => {
  if (!uncounted.delete(request) || isAsynchronous(request)) return;
  await countRequest(limits, callerOf(request).account, reply, now);
};

/** @throws Problem rate_limit_exceeded */
export const requireCounted = async (limits: Limits, request: FastifyRequest, reply: FastifyReply, now: Date): Promise<void> => {
  if (!uncounted.has(request)) return;
  await countLate(limits, request, reply, now);
  if (!isAsynchronous(request)) requireRoomInMinute(minuteOf(request), now);
};

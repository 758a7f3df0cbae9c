import { z } from 'zod';

/** Who did something, as the API returns it. */
export const actorResponse = z
  .object({
    kind: z.enum(['key', 'person', 'service']),
    id: z.string().optional().describe('key_<id> or person_<id>. Absent for the service and for the command line.'),
    name: z.string().optional().describe('The name of the key, the person or the part of the service.'),
  })
  .describe('An API key, a person, or the service itself. A person without id used the command line.');
export type ActorResponse = z.output<typeof actorResponse>;

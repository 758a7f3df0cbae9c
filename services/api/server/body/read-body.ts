import { readJson, type RequestBody } from './read-json.ts';

/** `boundary` is that of a multipart/form-data body; null for JSON. `wantsHash` asks for the SHA-256 of the body. */
export type BodyFormat = { boundary: string | null; wantsHash: boolean };

/** Reads a body, in the calling thread. @throws ApiError */
export const readBody = async (body: Buffer, { boundary, wantsHash }: BodyFormat): Promise<RequestBody> => {
  if (boundary === null) return readJson(body, wantsHash);
  // Loaded at the first form, because many services get only JSON.
  const { readMultipart } = await import('./multipart/read-multipart.ts');
  return readMultipart(body, boundary, wantsHash);
};

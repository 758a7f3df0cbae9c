import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { formatLocalTime } from '../components/formats.ts';
import { strings } from '../strings/strings.ts';
import { ApiError, type ErrorBody } from './api-error.ts';
import type { Endpoints } from './endpoints.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type PathOf<M extends Method> = keyof Endpoints extends infer K ? (K extends `${M} ${infer P}` ? P : never) : never;
type Endpoint<M extends Method, P extends PathOf<M>> = `${M} ${P}` extends keyof Endpoints
  ? Endpoints[`${M} ${P}`]
  : never;
type ResponseOf<E> = E extends { response: infer R } ? R : never;

type Common = { signal?: AbortSignal | undefined; headers?: Record<string, string> };
/** The names in `{}` in a path. */
type ParameterOf<P> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterOf<Rest> : never;
type Required<P, E> = ([ParameterOf<P>] extends [never] ? {} : { params: Record<ParameterOf<P>, string> }) &
  (E extends { body: infer B } ? { body: B } : {});
type Optional<E> = E extends { query: infer Q } ? { query?: Q } : {};
type Options<P, E> = Required<P, E> & Optional<E> & Common;
type Arguments<P, E> = keyof Required<P, E> extends never ? [options?: Options<P, E>] : [options: Options<P, E>];

/** The parts of a request, without the types of the endpoint. */
export type RequestParts = Common & {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
};

/** The header that names the account of a request. */
export const accountHeader = 'x-colophon-account';

let accountId: string | null = null;
/** Chooses the account that requests act on: acc_<id>; null lets the service choose. */
export const setRequestAccount = (id: string | null): void => {
  accountId = id;
};
export const requestAccount = (): string | null => accountId;

type ErrorHandler = (error: ApiError) => void;
let onError: ErrorHandler = () => undefined;
/** Sets what happens at each error response, besides what the caller of the request does. */
export const setErrorHandler = (handler: ErrorHandler): void => {
  onError = handler;
};

/** The address of an endpoint; parameters and query are encoded. */
export const urlOf = (path: string, { params = {}, query = {} }: RequestParts = {}): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value as string | number | boolean)]],
  );
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`;
};

const networkError = (): ApiError =>
  new ApiError(0, { error: 'network_error', message: 'The service cannot be reached. Check the connection.' });

/** The API names the time in UTC, and people read it in their own zone. */
const messageOf = ({ error, message, suspended_at: at, reason }: ErrorBody): string =>
  error === 'account_suspended' && typeof at === 'string'
    ? strings.errors.suspended(formatLocalTime(new Date(at)), String(reason))
    : message;

const errorOf = async (response: Response): Promise<ApiError> => {
  const body = (await response.json().catch(() => null)) as ErrorBody | null;
  return new ApiError(
    response.status,
    body
      ? { ...body, message: messageOf(body) }
      : { error: 'unknown_error', message: `The service answered with status ${response.status}.` },
  );
};

/** Sends a request and returns the response if it is successful. @throws ApiError */
export const requestRaw = async (method: Method, path: string, parts: RequestParts = {}): Promise<Response> => {
  const { body, signal, headers } = parts;
  const isForm = body instanceof FormData;
  const init: RequestInit = {
    method,
    credentials: 'same-origin',
    headers: {
      ...(accountId === null ? {} : { [accountHeader]: accountId }),
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  };
  const response = await fetch(urlOf(path, parts), init).catch((error: unknown) => {
    throw signal?.aborted ? error : networkError();
  });
  if (response.ok) return response;
  const error = await errorOf(response);
  onError(error);
  throw error;
};

const request = async (method: Method, path: string, parts?: RequestParts): Promise<unknown> => {
  const response = await requestRaw(method, path, parts);
  return response.status === 204 ? undefined : parseExactJson(await response.text());
};

const typed =
  <M extends Method>(method: M) =>
  <P extends PathOf<M>>(path: P, ...[options]: Arguments<P, Endpoint<M, P>>): Promise<ResponseOf<Endpoint<M, P>>> =>
    request(method, path, options) as Promise<ResponseOf<Endpoint<M, P>>>;

/** Typed calls of the API, such as `api.get('/api/v1/renders', { query: { status: 'FAILED' } })`. @throws ApiError */
export const api = { get: typed('GET'), post: typed('POST'), put: typed('PUT'), delete: typed('DELETE') };

/** A response that is not JSON, such as a PDF or CSV. @throws ApiError */
export const requestBlob = async (path: string, parts?: RequestParts, method: Method = 'GET'): Promise<Blob> =>
  (await requestRaw(method, path, parts)).blob();

/** Saves a blob as a file on the person's computer. */
export const saveBlob = (blob: Blob, fileName: string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

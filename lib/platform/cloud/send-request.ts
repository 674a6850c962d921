import { collectBytes } from '../../foundations/budget/collect-bytes.ts'
import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import { serverMessage } from '../../foundations/rules/server-message.ts'
import { CloudError, type CloudService } from './cloud-error.ts'

/** The subset of the standard `fetch` that is used. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

export interface FetchInit {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly redirect: 'manual'
  readonly signal: AbortSignal
}

interface FetchResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: AsyncIterable<Uint8Array> | null
}

export interface HttpRequest {
  readonly service: CloudService
  /** What is requested, for errors: 'the token of client x'. */
  readonly what: string
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** Of the response; 1 MiB by default. */
  readonly maxBytes?: number
}

export interface HttpResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly text: string
}

const defaultMaxBytes = 1 << 20
const defaultTimeoutMs = 15_000

/**
 * Sends one request and returns the whole response, whatever its status: at most 1 MiB and within 15 seconds by default, without following redirects.
 * Fails with CloudError if there is no response.
 */
export const sendRequest = async (fetch: Fetch, request: HttpRequest): Promise<HttpResponse> => {
  const { service, what, url, method = 'GET', headers = {}, body, signal } = request
  const { timeoutMs = defaultTimeoutMs, maxBytes = defaultMaxBytes } = request
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers },
      body,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    const received = response.body ? await collectBytes(response.body, maxBytes) : Buffer.alloc(0)
    if (!received) throw new Error(`the response is larger than ${maxBytes} bytes`)
    return { status: response.status, headers: response.headers, text: received.toString() }
  } catch (error) {
    signal?.throwIfAborted()
    const reason = timeout.aborted ? `no response within ${timeoutMs / 1000} s` : reasonOf(error)
    throw new CloudError(service, `${what}: ${hostOf(url)} could not be reached: ${reason}`, { cause: error })
  }
}

/** `sendRequest` for JSON. Fails with CloudError unless the status is 2xx and the body an object; an empty body is one without fields, as AWS sends it. */
export const requestJson = async (fetch: Fetch, request: HttpRequest): Promise<JsonResponse> => {
  const response = await sendRequest(fetch, request)
  const json = parseObject(response.text || '{}')
  if (response.status >= 200 && response.status < 300 && json) return json
  throw responseError(request, response, json)
}

export type JsonResponse = JsonObject

/** The error for a response, with the service's code and message, which are known to hold no secret. */
export const responseError = (
  { service, what, url }: HttpRequest,
  { status }: HttpResponse,
  json: JsonResponse | undefined,
): CloudError => {
  const { code, message } = errorIn(json)
  const details = [code, message && serverMessage(message)].filter(Boolean).join(': ')
  return new CloudError(service, `${what}: ${hostOf(url)} returned ${status}${details && ` ${details}`}`, {
    status,
    code,
  })
}

/** AWS, Entra, Google and Vault use different forms. */
const errorIn = (json: JsonResponse = {}): { code?: string; message?: string } => {
  const { error, errors } = json
  if (isObject(error)) return { code: textOr(error.code) ?? textOr(error.status), message: textOr(error.message) }
  if (Array.isArray(errors)) return { message: errors.filter(each => typeof each === 'string').join('; ') }
  return {
    code: textOr(error) ?? textOr(json.__type)?.replace(/^.*#/, '') ?? textOr(json.Code),
    message: textOr(json.error_description) ?? textOr(json.message) ?? textOr(json.Message),
  }
}

/** A text that isn't empty; undefined for anything else in untrusted JSON. */
export const textOr = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined)

/** undefined unless the text is a JSON object. */
export const parseObject = (text: string): JsonResponse | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The cause of `fetch failed` has the reason. An error for several refused addresses has a code but no message. */
const reasonOf = (error: unknown): string => {
  const { message, cause, code = '' } = error as NodeJS.ErrnoException
  return cause instanceof Error && cause.message ? cause.message : message || code
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? 'an invalid URL'

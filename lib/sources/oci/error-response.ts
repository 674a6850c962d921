import { describeBody, serverMessage } from '../../foundations/rules/server-message.ts'
import { reasonPhrase } from '../../platform/http/reason-phrase.ts'
import { retryAfterMs as parseRetryAfter } from '../../platform/http/retry-after.ts'
import { goValue } from './go-value.ts'
import { type ErrorResponse, OciError, type OciErrorCode } from './oci-error.ts'

/** Upper limit for Retry-After. */
const maxRetryAfterMs = 3_600_000

const MAX_BODY = 4096

/**
 * An error from a response without success, with the registry's own errors if they are in the format of the
 * distribution specification.
 */
export const responseError = (
  method: string,
  url: URL,
  status: number,
  body: Uint8Array,
  headers: Readonly<Record<string, string | string[] | undefined>> = {},
): OciError => {
  const text = Buffer.from(body).toString('utf8').slice(0, MAX_BODY)
  const retryAfterMs = parseRetryAfter(headers['retry-after'], maxRetryAfterMs)
  const errors = errorsIn(text)
  const challenge = String(headers['www-authenticate'] ?? '')
  return new OciError(
    codeOf(status),
    `${method} ${shown(url)}: ${describeErrors(errors) ?? bare(method, status, describeBody(body.length, headers['content-type']))}`,
    {
      refusal: { method, address: url.origin + url.pathname, status, errors, wantsBasic: /^basic\b/i.test(challenge) },
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  )
}

/** The parameters of the registry protocol, which go-containerregistry shows. */
const ofProtocol = new Set(['scope', 'service', 'mount', 'from', 'digest', 'n', 'last'])

/** Redacts the query, in which signed storage URLs carry their signature. */
const shown = (url: URL): string => {
  const query = [...url.searchParams]
    .map(([key, value]) => `${encodeURIComponent(key)}=${ofProtocol.has(key) ? encodeURIComponent(value) : 'REDACTED'}`)
    .sort()
    .join('&')
  return url.origin + url.pathname + (query && `?${query}`)
}

const codeOf = (status: number): OciErrorCode => {
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 404) return 'notFound'
  return status === 429 ? 'tooManyRequests' : 'refused'
}

const bare = (method: string, status: number, described: string): string => {
  const code = `unexpected status code ${status} ${reasonPhrase(status)}`
  if (method === 'HEAD') return `${code} (HEAD responses have no body, use GET for details)`
  return described ? `${code}: ${described}` : code
}

/** In go-containerregistry's wording. */
const describeErrors = (all: ErrorResponse['errors']): string | undefined => {
  const errors = all.map(({ code, message, detail }) => {
    const what = `${typeof code === 'string' ? code : ''}: ${typeof message === 'string' ? message : ''}`
    return detail === undefined || detail === null ? what : `${what}; ${goValue(detail)}`
  })
  if (errors.length === 0) return undefined
  return serverMessage(errors.length === 1 ? errors[0]! : `multiple errors returned: ${errors.join('; ')}`)
}

/** The errors of the distribution specification, if the body contains any. */
const errorsIn = (text: string): ErrorResponse['errors'] => {
  try {
    const { errors } = JSON.parse(text) as { readonly errors?: unknown }
    return Array.isArray(errors) ? errors.filter(error => typeof error === 'object' && error !== null) : []
  } catch {
    return []
  }
}

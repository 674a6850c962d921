import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { emitJson } from '../../../engines/yaml/emit-json.ts'
import { compressed, streamOf } from './byte-stream.ts'
import type { Representation } from './media-type.ts'

/** Kubernetes' threshold: compressing less costs more than sending it. */
const gzipFrom = 128 * 1024
const compress = promisify(gzip)

interface ResponseOptions {
  readonly request: Request
  readonly warnings?: readonly string[]
  /** When a refused request may be retried. */
  readonly retryAfterSeconds?: number
}

/** A response as text, in the requested format, compressed if accepted and worthwhile. */
export const respond = async (
  options: ResponseOptions,
  json: string,
  format: Representation['format'] = 'json',
  status = 200,
): Promise<Response> => textOrGzip(options, format === 'yaml' ? emitJson(JSON.parse(json)) : json, format, status)

/**
 * A response of any length from parts, which are created as fast as the client receives them. An error within the first 128 KiB fails the
 * call; a later one can only truncate the response. Awaits `turn` before each further slice.
 */
export const streamedResponse = async (
  options: ResponseOptions,
  parts: AsyncGenerator<string, void>,
  format: Representation['format'],
  turn?: () => Promise<void>,
): Promise<Response> => {
  let begin = ''
  while (begin.length < gzipFrom) {
    const { value, done } = await parts.next()
    if (done) return textOrGzip(options, begin, format, 200)
    begin += value
  }
  async function* whole(): AsyncGenerator<string, void> {
    yield begin
    begin = ''
    yield* parts
  }
  const headers = headersOf(options, format)
  return acceptsGzip(options.request)
    ? new Response(compressed(whole()), { headers: [...headers, ...gzipped] })
    : new Response(streamOf(whole(), { turn }), { headers })
}

const textOrGzip = async (options: ResponseOptions, text: string, format: Representation['format'], status: number) => {
  const headers = headersOf(options, format)
  if (text.length < gzipFrom || !acceptsGzip(options.request)) return new Response(text, { status, headers })
  const body = await compress(text, { level: constants.Z_BEST_SPEED })
  return new Response(new Uint8Array(body), { status, headers: [...headers, ...gzipped] })
}

const gzipped: [string, string][] = [
  ['content-encoding', 'gzip'],
  ['vary', 'Accept-Encoding'],
]

const headersOf = (
  { warnings = [], retryAfterSeconds }: ResponseOptions,
  format: Representation['format'],
): [string, string][] => [
  ['content-type', format === 'yaml' ? 'application/yaml' : 'application/json'],
  ['cache-control', 'no-cache, private'],
  ...(retryAfterSeconds ? [['retry-after', String(retryAfterSeconds)] as [string, string]] : []),
  ...withinLimits(warnings).map((warning): [string, string] => ['warning', warningHeader(warning)]),
]

/** Kubernetes' limits: above this total number of characters, all warnings are truncated, and further ones dropped. */
const maxWarnings = 4 * 1024
const maxWarning = 256

const withinLimits = (warnings: readonly string[]): readonly string[] => {
  const total = warnings.reduce((sum, { length }) => sum + length, 0)
  if (total <= maxWarnings) return warnings
  const cut: string[] = []
  let sum = 0
  for (const warning of warnings) {
    const short = warning.slice(0, maxWarning)
    sum += short.length
    if (sum > maxWarnings) break
    cut.push(short)
  }
  return cut
}

/** RFC 7234, as Kubernetes sends it: code 299, no agent; characters that are invalid in a header are percent-encoded. */
const warningHeader = (text: string): string =>
  `299 - "${text.replace(/["\\]/g, '\\$&').replace(/[^\x20-\x7e]/gu, encodeURIComponent)}"`

const acceptsGzip = (request: Request): boolean => /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')

/** A response in plain text, as health checks and errors outside of the API have it. */
export const textResponse = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })

/** The response for an unknown path, as in a real API server. */
export const pageNotFound = (): Response => textResponse('404 page not found\n', 404)

import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { emitJson } from '../../../engines/yaml/emit-json.ts'
import { compressed, streamOf } from './byte-stream.ts'
import type { Representation } from './media-type.ts'

/** Kubernetes' own: compressing less costs more than sending it. */
const gzipFrom = 128 * 1024
const compress = promisify(gzip)

interface Asked {
  readonly request: Request
  readonly warnings?: readonly string[]
  /** When a refused request may be tried again. */
  readonly retryAfterSeconds?: number
}

/** An answer as text, in the format asked for, compressed when that is accepted and worth it. */
export const answer = async (
  asked: Asked,
  json: string,
  format: Representation['format'] = 'json',
  status = 200,
): Promise<Response> => textOrGzip(asked, format === 'yaml' ? emitJson(JSON.parse(json)) : json, format, status)

/**
 * An answer of any length from its parts, which are made as fast as the client takes them. What fails before the first
 * 128 KiB fails the call; later it can only break off the answer. `turn` is awaited before each further slice.
 */
export const streamedAnswer = async (
  asked: Asked,
  parts: AsyncGenerator<string, void>,
  format: Representation['format'],
  turn?: () => Promise<void>,
): Promise<Response> => {
  let begin = ''
  while (begin.length < gzipFrom) {
    const { value, done } = await parts.next()
    if (done) return textOrGzip(asked, begin, format, 200)
    begin += value
  }
  async function* whole(): AsyncGenerator<string, void> {
    yield begin
    begin = ''
    yield* parts
  }
  const headers = headersOf(asked, format)
  return acceptsGzip(asked.request)
    ? new Response(compressed(whole()), { headers: [...headers, ...gzipped] })
    : new Response(streamOf(whole(), { turn }), { headers })
}

const textOrGzip = async (asked: Asked, text: string, format: Representation['format'], status: number) => {
  const headers = headersOf(asked, format)
  if (text.length < gzipFrom || !acceptsGzip(asked.request)) return new Response(text, { status, headers })
  const body = await compress(text, { level: constants.Z_BEST_SPEED })
  return new Response(new Uint8Array(body), { status, headers: [...headers, ...gzipped] })
}

const gzipped: [string, string][] = [
  ['content-encoding', 'gzip'],
  ['vary', 'Accept-Encoding'],
]

const headersOf = (
  { warnings = [], retryAfterSeconds }: Asked,
  format: Representation['format'],
): [string, string][] => [
  ['content-type', format === 'yaml' ? 'application/yaml' : 'application/json'],
  ['cache-control', 'no-cache, private'],
  ...(retryAfterSeconds ? [['retry-after', String(retryAfterSeconds)] as [string, string]] : []),
  ...withinLimits(warnings).map((warning): [string, string] => ['warning', warningHeader(warning)]),
]

/** Kubernetes' limits: beyond so many characters all warnings are cut to so many, and what then goes beyond is left out. */
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

/** RFC 7234, as Kubernetes sends it: code 299, no agent; what a header cannot hold is written as in a URL. */
const warningHeader = (text: string): string =>
  `299 - "${text.replace(/["\\]/g, '\\$&').replace(/[^\x20-\x7e]/gu, encodeURIComponent)}"`

const acceptsGzip = (request: Request): boolean => /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')

export const textAnswer = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })

/** What a path that is not served gets, from this as from a real API server. */
export const pageNotFound = (): Response => textAnswer('404 page not found\n', 404)

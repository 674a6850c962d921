import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { emitJson } from '../yaml/emit-json.ts'
import type { Representation } from './media-type.ts'

/** Kubernetes' own: compressing less costs more than sending it. */
const gzipFrom = 128 * 1024
const compress = promisify(gzip)

/** An answer as text, in the format asked for, compressed when that is accepted and worth it. */
export const answer = async (
  { request, warnings = [] }: { readonly request: Request; readonly warnings?: readonly string[] },
  json: string,
  format: Representation['format'] = 'json',
  status = 200,
): Promise<Response> => {
  const text = format === 'yaml' ? emitJson(JSON.parse(json)) : json
  const headers: [string, string][] = [
    ['content-type', format === 'yaml' ? 'application/yaml' : 'application/json'],
    ['cache-control', 'no-cache, private'],
    ...warnings.map((warning): [string, string] => ['warning', warningHeader(warning)]),
  ]
  if (text.length < gzipFrom || !acceptsGzip(request)) return new Response(text, { status, headers })
  const body = await compress(text, { level: constants.Z_BEST_SPEED })
  return new Response(new Uint8Array(body), {
    status,
    headers: [...headers, ['content-encoding', 'gzip'], ['vary', 'Accept-Encoding']],
  })
}

/** RFC 7234, as Kubernetes sends it: code 299, no agent; what a header cannot hold is written as in a URL. */
const warningHeader = (text: string): string =>
  `299 - "${text
    .replace(/["\\]/g, '\\$&')
    .replace(/[^\x20-\x7e]/g, encodeURIComponent)
    .slice(0, 4096)}"`

const acceptsGzip = (request: Request): boolean => /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')

export const textAnswer = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })

/** What a path that is not served gets, from this as from a real API server. */
export const pageNotFound = (): Response => textAnswer('404 page not found\n', 404)

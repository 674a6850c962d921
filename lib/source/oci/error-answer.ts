import { statusWords } from '../../http/status-words.ts'
import { goValue } from './go-value.ts'
import { OciError, type OciErrorCode } from './oci-error.ts'

const LONGEST_BODY = 4096

/** An answer that is no success, with what the registry says about it. */
export const refusal = (
  method: string,
  url: URL,
  status: number,
  body: Uint8Array,
  headers: Readonly<Record<string, string | string[] | undefined>> = {},
): OciError => {
  const text = Buffer.from(body).toString('utf8').slice(0, LONGEST_BODY)
  const retryAfterMs = retryAfterOf(headers['retry-after'])
  return new OciError(codeOf(status), `${method} ${shown(url)}: ${saidBy(text) ?? bare(method, status, text)}`, {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
}

/** Signed addresses of storages carry their signature in the query. */
const shown = (url: URL): string => {
  const query = [...url.searchParams.keys()].map(key => `${encodeURIComponent(key)}=REDACTED`).join('&')
  return url.origin + url.pathname + (query && `?${query}`)
}

const codeOf = (status: number): OciErrorCode => {
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 404) return 'notFound'
  return status === 429 ? 'tooManyRequests' : 'refused'
}

const bare = (method: string, status: number, text: string): string => {
  const code = `unexpected status code ${status} ${statusWords(status)}`
  if (method === 'HEAD') return `${code} (HEAD responses have no body, use GET for details)`
  return text ? `${code}: ${text}` : code
}

interface Said {
  readonly code?: unknown
  readonly message?: unknown
  readonly detail?: unknown
}

/** The errors of the distribution specification, if the body holds any. */
const saidBy = (text: string): string | undefined => {
  const errors = errorsIn(text).map(({ code, message, detail }) => {
    const what = `${typeof code === 'string' ? code : ''}: ${typeof message === 'string' ? message : ''}`
    return detail === undefined || detail === null ? what : `${what}; ${goValue(detail)}`
  })
  if (errors.length === 0) return undefined
  return errors.length === 1 ? errors[0] : `multiple errors returned: ${errors.join('; ')}`
}

const errorsIn = (text: string): readonly Said[] => {
  try {
    const { errors } = JSON.parse(text) as { readonly errors?: unknown }
    return Array.isArray(errors) ? errors.filter(error => typeof error === 'object' && error !== null) : []
  } catch {
    return []
  }
}

/** Seconds, or a date, of which only the former is worth the trouble. */
const retryAfterOf = (header: string | string[] | undefined): number | undefined => {
  const seconds = Number(Array.isArray(header) ? header[0] : header)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 3600) * 1000 : undefined
}

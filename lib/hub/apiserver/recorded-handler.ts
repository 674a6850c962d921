import { ApiError } from '../store/hub.ts'
import type { Audit, AuditTrail } from './audit/audit-trail.ts'
import type { Peer } from './authentication/caller.ts'
import { asApiError } from './status.ts'
import { refusal } from './wire/refusal.ts'

export interface RecordedOptions {
  /** Records requests in the audit log; if absent, none are recorded. */
  readonly audit?: Audit
  /** Called with errors that are not the client's fault: bugs, and failures of the platform. Never with credentials or bodies. */
  readonly onError?: (error: unknown, request: { readonly method: string; readonly path: string }) => void
}

/**
 * `peer` is the client's verified identity, if its connection provides one. `sent` settles when the client has received the whole response
 * or disconnected: until then the request counts as in flight. If absent, a response counts as sent when it is created. `remote` is the
 * address that the request comes from.
 */
export type ApiHandler = (request: Request, peer?: Peer, sent?: Promise<unknown>, remote?: string) => Promise<Response>

/** The response to a request, or the ApiError that refuses it. `ended` settles when the client has the response. */
type Respond = (
  request: Request,
  url: URL,
  peer: Peer | undefined,
  ended: Promise<unknown>,
  trail: AuditTrail | undefined,
  remote: string | undefined,
) => Promise<Response>

/** A handler whose requests are in the audit log, and whose errors are responses. */
export const recordedHandler =
  ({ audit, onError = () => {} }: RecordedOptions, respond: Respond): ApiHandler =>
  async (request, peer, sent, remote) => {
    const url = new URL(request.url)
    const made = Promise.withResolvers<void>()
    const ended = sent ?? made.promise
    const trail = audit?.(request, url, remote)
    const responseOrRefusal = async (): Promise<Response> => {
      try {
        return await respond(request, url, peer, ended, trail, remote)
      } catch (error) {
        if (!(error instanceof ApiError)) onError(error, { method: request.method, path: url.pathname })
        return refusal(request, asApiError(error))
      }
    }
    try {
      const response = await responseOrRefusal()
      await trail?.responded(response, ended)
      return response
    } finally {
      made.resolve()
    }
  }

import { ApiError } from '../store/hub.ts'
import type { ApiHandler, ApiServerOptions } from './api-server.ts'
import type { AuditTrail } from './audit/audit-trail.ts'
import type { Peer } from './authentication/caller.ts'
import { asApiError } from './status.ts'
import { refusal } from './wire/refusal.ts'

/** The response to a request, or the ApiError that refuses it. `ended` settles when the client has the response. */
type Respond = (
  request: Request,
  url: URL,
  peer: Peer | undefined,
  ended: Promise<unknown>,
  trail: AuditTrail | undefined,
) => Promise<Response>

/** A handler whose requests are in the audit log, and whose errors are responses. */
export const recordedHandler =
  ({ audit, onError = () => {} }: Pick<ApiServerOptions, 'audit' | 'onError'>, respond: Respond): ApiHandler =>
  async (request, peer, sent, remote) => {
    const url = new URL(request.url)
    const made = Promise.withResolvers<void>()
    const ended = sent ?? made.promise
    const trail = audit?.(request, url, remote)
    const responseOrRefusal = async (): Promise<Response> => {
      try {
        return await respond(request, url, peer, ended, trail)
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

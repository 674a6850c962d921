import type { KeyObject } from 'node:crypto'
import type { Transport, TransportResponse } from '../../clusters/client/transport.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { ApiErrorReason } from '../store/hub.ts'
import { ApiError } from '../store/hub.ts'
import { runnerPath } from './protocol.ts'
import { signRequest } from './signed-request.ts'

/** A runner's way to its hub. Fails with an ApiError if the hub refuses, and with a ClusterError if there is no response. */
export interface HubLink {
  request<T>(verb: string, content: object): Promise<T>
}

interface LinkOptions {
  readonly send: Transport
  readonly clock: Pick<Clock, 'now'>
  /** The runner's private key. */
  readonly key: KeyObject
  /** The Cluster, as `NAMESPACE/NAME`. */
  readonly cluster: string
}

/** Milliseconds until a request counts as lost. */
const requestMs = 20_000

export const hubLink = ({ send, clock, key, cluster }: LinkOptions): HubLink => ({
  request: async <T>(verb: string, content: object): Promise<T> => {
    const path = `${runnerPath}${verb}`
    const body = JSON.stringify(content)
    const authorization = signRequest({ cluster, path, body, now: clock.now() }, key)
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await send({ method: 'POST', path, headers, body, signal: AbortSignal.timeout(requestMs) })
    if (response.status !== 200) throw refused(response)
    return JSON.parse(response.body) as T
  },
})

const refused = ({ status, body }: TransportResponse): ApiError => {
  try {
    const { reason, message } = JSON.parse(body) as { readonly reason?: ApiErrorReason; readonly message?: string }
    return new ApiError(status, reason ?? '', message ?? `the hub responds with status ${status}`)
  } catch {
    return new ApiError(status, '', `status ${status}, and no response of a hub`)
  }
}

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Transport, TransportResponse } from '../../clusters/client/transport.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { ApiErrorReason } from '../store/hub.ts'
import { ApiError } from '../store/hub.ts'
import { type RenewRequest, runnerPath } from './protocol.ts'
import { signRequest } from './signed-request.ts'

/** A runner's way to its hub. Fails with an ApiError if the hub refuses, and with a ClusterError if there is no response. */
export interface HubLink {
  request<T>(verb: string, content: object, held?: HeldRequest): Promise<T>
  /** Replaces the key by a new one, under the lease that the runner holds. */
  renewKey(lease: number): Promise<void>
}

/** A request to which the hub responds later. */
interface HeldRequest {
  readonly forMs: number
  /** Ends it. */
  readonly signal: AbortSignal
}

/** The private key of a runner, and its successor while it is not known whether the hub has taken that. */
export interface RunnerKeys {
  readonly current: KeyObject
  readonly next: KeyObject | undefined
  /** Makes the next key, or returns the one that was made before. */
  makeNext(): Promise<KeyObject>
  /** The next key becomes the current one. */
  promote(): Promise<void>
}

interface LinkOptions {
  readonly send: Transport
  readonly clock: Pick<Clock, 'now'>
  readonly keys: RunnerKeys
  /** The Cluster, as `NAMESPACE/NAME`. */
  readonly cluster: string
}

/** Milliseconds until a request counts as lost. */
const requestMs = 20_000

/** A link that signs each request with the runner's key. While it is not known which of two keys the hub has, it tries the next one after a 401. */
export const hubLink = ({ send, clock, keys, cluster }: LinkOptions): HubLink => {
  const sendSigned = (path: string, body: string, key: KeyObject, held?: HeldRequest): Promise<TransportResponse> => {
    const inTime = AbortSignal.timeout(requestMs + (held?.forMs ?? 0))
    const signal = held ? AbortSignal.any([held.signal, inTime]) : inTime
    const authorization = signRequest({ cluster, path, body, now: clock.now() }, key)
    const headers = { authorization, 'content-type': 'application/json' }
    return send({ method: 'POST', path, headers, body, signal })
  }
  const request = async <T>(verb: string, content: object, held?: HeldRequest): Promise<T> => {
    const [path, body] = [`${runnerPath}${verb}`, JSON.stringify(content)]
    let response = await sendSigned(path, body, keys.current, held)
    if (response.status === 401 && keys.next) {
      // The response to its renewal was lost.
      response = await sendSigned(path, body, keys.next, held)
      if (response.status !== 401) await keys.promote()
    }
    if (response.status !== 200) throw refused(response)
    return JSON.parse(response.body) as T
  }
  return {
    request,
    renewKey: async lease => {
      const next = await keys.makeNext()
      const publicKey = publicKeyText(next)
      const signature = signRequest({ cluster, path: `${runnerPath}renew`, body: publicKey, now: clock.now() }, next)
      await request('renew', { lease, publicKey, signature } satisfies RenewRequest)
      if (keys.next === next) await keys.promote()
    },
  }
}

/** As requests have it. */
export const publicKeyText = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')

const refused = ({ status, body }: TransportResponse): ApiError => {
  try {
    const { reason, message } = JSON.parse(body) as { readonly reason?: ApiErrorReason; readonly message?: string }
    return new ApiError(status, reason ?? '', message ?? `the hub responds with status ${status}`)
  } catch {
    return new ApiError(status, '', `status ${status}, and no response of a hub`)
  }
}

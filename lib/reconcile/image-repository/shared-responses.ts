import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { nameOf } from '../../sources/oci/image-name.ts'
import { OciError } from '../../sources/oci/oci-error.ts'
import type { ImageAccess } from './load-image-access.ts'

/** What a registry said, and when the request was made, in milliseconds since the epoch. */
export interface SharedResponse<T> {
  readonly at: number
  readonly value: T
}

export interface SharedRequest<T> {
  readonly access: ImageAccess
  /** What is requested of this image; the response depends on nothing else. */
  readonly about: string
  /** The request must not have been made earlier, in milliseconds since the epoch. */
  readonly since: number
  readonly signal: AbortSignal
  send(): Promise<T>
  /** The size of a response, in strings. */
  sizeOf(value: T): number
}

/**
 * Sends requests to registries, one for all objects of this process that have the same image and the same access (credentials, proxy, authorities), in
 * whatever namespace: what a registry says to one of them, it would say to the others. A registry that limits the rate gets no request with this access
 * for as long as it says, whatever the image: fails with OciError `tooManyRequests`.
 */
export type ShareResponse = <T>(request: SharedRequest<T>) => Promise<SharedResponse<T>>

/** Of all responses that are held, in strings. */
const maxSize = 200_000
const maxRegistries = 1_000

/**
 * Responses and rate limits of one process. A refusal of the registry is the response to all that wait for it; after
 * other errors, each sends its own request.
 */
export const sharedResponses = (clock: Clock): ShareResponse => {
  const responses = new RecentlyUsed<SharedResponse<Promise<unknown>>>(maxSize)
  /** By registry and access, in milliseconds since the epoch. */
  const limitedUntil = new RecentlyUsed<number>(maxRegistries)

  const requireUnlimited = (place: string, registry: string): void => {
    const retryAfterMs = (limitedUntil.get(place) ?? 0) - clock.now()
    if (retryAfterMs <= 0) return
    const message = `the registry ${registry} limits the rate of requests: retrying in ${formatDuration(retryAfterMs)}`
    throw new OciError('tooManyRequests', message, { retryAfterMs })
  }

  return async <T>({ access, about, since, signal, send, sizeOf }: SharedRequest<T>) => {
    const { repository, ...others } = access
    const place = sha256Digest(JSON.stringify([repository.registry, others]))
    const key = `${place} ${nameOf(repository)} ${about}`
    const known = responses.get(key)
    if (known && known.at >= since) {
      const value = await Promise.race([known.value as Promise<T>, aborted(signal)]).catch(failedForAll)
      signal.throwIfAborted()
      if (value !== undefined) return { at: known.at, value }
    }
    requireUnlimited(place, repository.registry)
    const response = { at: clock.now(), value: send() }
    responses.set(key, response)
    try {
      const value = await response.value
      if (responses.peek(key) === response) responses.set(key, response, Math.max(1, sizeOf(value)))
      return { at: response.at, value }
    } catch (error) {
      if (responses.peek(key) === response) responses.delete(key)
      if (error instanceof OciError && error.code === 'tooManyRequests' && error.retryAfterMs !== undefined)
        limitedUntil.set(place, clock.now() + error.retryAfterMs)
      throw error
    }
  }
}

/** A refusal of the registry is one for all. Any other failure may be of the pass that made the request, such as its timeout. */
const failedForAll = (error: unknown): undefined => {
  if (error instanceof OciError && error.code !== 'unreachable') throw error
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise(resolve => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })

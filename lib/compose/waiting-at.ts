import { collectBytes } from '../foundations/budget/collect-bytes.ts'
import type { GuardedFetch } from '../platform/http/guarded-fetch.ts'

/** Waits at the URL of a WakeUp until something wakes it, for 20 seconds at most; resolves to whether there may be news. */
export type WaitAt = (url: string, signal: AbortSignal) => Promise<boolean>

/** Milliseconds until a request counts as lost: it waits for 20 seconds. */
const timeoutMs = 30_000
const maxBytes = 64 * 1024

/** Of SQS in any region and partition, with its IPv6 names. */
const sqsHost =
  /^sqs\.[a-z0-9-]+\.(amazonaws\.com|amazonaws\.com\.cn|amazonaws\.eu|api\.aws|api\.amazonwebservices\.com\.cn)$/

/**
 * A hub names the URL, so only those of SQS, and those on the hub's own host, are requested: a hub that is taken over must not reach servers of
 * the runner's network this way.
 */
export const waitingAt =
  (hub: string, fetch: GuardedFetch): WaitAt =>
  async (text, signal) => {
    const url = new URL(text)
    const { protocol, hostname } = url
    if (protocol !== 'https:' || (!sqsHost.test(hostname) && hostname !== new URL(hub).hostname))
      throw new Error(`the hub names ${hostname}, which is no host of SQS`)
    const response = await fetch(text, { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
    const body = response.body ? ((await collectBytes(response.body, maxBytes))?.toString() ?? '') : ''
    if (response.status === 200) return body.includes('<Message>')
    const code = /<Code>([\w.]+)<\/Code>/.exec(body)?.[1]
    throw new Error(`${hostname} responds with status ${response.status}${code ? ` (${code})` : ''}`)
  }

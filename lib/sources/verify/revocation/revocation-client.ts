import type { HttpAgent } from '../../../platform/http/guarded-agent.ts'
import { describeHttpFailure, httpClient } from '../../../platform/http/http-client.ts'
import { downloadPolicy } from '../../../platform/http/http-policy.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import { RevocationUnavailable } from './revocation-unavailable.ts'

/** What is asked of a server that a certificate names. */
export interface RevocationRequest {
  readonly url: string
  /** POSTed when there is one. */
  readonly body?: Uint8Array
  readonly contentType?: string
  readonly timeoutMs: number
  /** Bytes. */
  readonly most: number
}

/** Answers of such servers, remembered for a while. */
export interface RevocationClient {
  /** What `judge` makes of an answer. Only answers that it makes something of are remembered. Fails with NoEvidence, or as `judge` does. */
  ask<T>(inquiry: RevocationRequest, judge: (answer: Buffer) => T): Promise<T>
}

/** However long an answer says that it holds: somebody may have been revoked since. */
const REMEMBERED_MS = 60 * 60_000
/** Bytes of all that is remembered. */
const MAX_REMEMBERED = 32 << 20

/** Asks over an agent, which decides where it connects to. Only plain HTTP is spoken, as in notation: what is said is signed. */
export const revocationClient = (agent: HttpAgent, clock: Pick<Clock, 'now'>): RevocationClient => {
  const kept = new Map<string, { readonly answer: Buffer; readonly until: number }>()

  const keep = (key: string, answer: Buffer): void => {
    kept.delete(key)
    kept.set(key, { answer, until: clock.now() + REMEMBERED_MS })
    let size = [...kept.values()].reduce((sum, one) => sum + one.answer.length, 0)
    for (const [oldest, one] of kept) {
      if (size <= MAX_REMEMBERED) return
      kept.delete(oldest)
      size -= one.answer.length
    }
  }

  const ask: RevocationClient['ask'] = async (inquiry, judge) => {
    const key = [inquiry.url, Buffer.from(inquiry.body ?? []).toString('base64')].join(' ')
    const known = kept.get(key)
    if (known && known.until > clock.now()) {
      try {
        return judge(known.answer)
      } catch {
        kept.delete(key) // it has run out, or is of no use to this issuer: there may be a better one
      }
    }
    const answer = await fetchAnswer(agent, inquiry)
    const judged = judge(answer)
    keep(key, answer)
    return judged
  }

  return { ask }
}

const fetchAnswer = async (
  agent: HttpAgent,
  { url, body, contentType, timeoutMs, most }: RevocationRequest,
): Promise<Buffer> => {
  const target = URL.parse(url)
  if (target?.protocol !== 'http:') throw new RevocationUnavailable(`${url}: only http addresses are asked`)
  const exchange = httpClient({
    ...{ agent, policy: downloadPolicy, signal: AbortSignal.timeout(timeoutMs) },
    fail: failure => new RevocationUnavailable(describeHttpFailure(failure), { cause: failure.cause }),
  })
  const answer = await exchange({
    url: target,
    ...(body && { method: 'POST', body, headers: { 'content-type': contentType! } }),
  })
  if (answer.status === 200) return answer.bytes(most)
  await answer.discard()
  throw new RevocationUnavailable(`${target.origin + target.pathname} answers with status ${answer.status}`)
}

import type { Dispatcher } from 'undici'
import { type Answer, exchangeOver } from '../../../platform/http/exchange.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import { NoEvidence } from './no-evidence.ts'

/** What is asked of a server that a certificate names. */
export interface Inquiry {
  readonly url: string
  /** POSTed when there is one. */
  readonly body?: Uint8Array
  readonly contentType?: string
  readonly timeoutMs: number
  /** Bytes. */
  readonly most: number
}

/** Answers of such servers, remembered for a while. */
export interface Evidence {
  /** What `judge` makes of an answer. Only answers that it makes something of are remembered. Fails with NoEvidence, or as `judge` does. */
  ask<T>(inquiry: Inquiry, judge: (answer: Buffer) => T): Promise<T>
}

/** However long an answer says that it holds: somebody may have been revoked since. */
const REMEMBERED_MS = 60 * 60_000
/** Bytes of all that is remembered. */
const MOST_REMEMBERED = 32 << 20

/** Asks over an agent, which decides where it connects to. Only plain HTTP is spoken, as in notation: what is said is signed. */
export const evidenceOver = (agent: Dispatcher, clock: Pick<Clock, 'now'>): Evidence => {
  const kept = new Map<string, { readonly answer: Buffer; readonly until: number }>()

  const keep = (key: string, answer: Buffer): void => {
    kept.delete(key)
    kept.set(key, { answer, until: clock.now() + REMEMBERED_MS })
    let size = [...kept.values()].reduce((sum, one) => sum + one.answer.length, 0)
    for (const [oldest, one] of kept) {
      if (size <= MOST_REMEMBERED) return
      kept.delete(oldest)
      size -= one.answer.length
    }
  }

  const ask: Evidence['ask'] = async (inquiry, judge) => {
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
  agent: Dispatcher,
  { url, body, contentType, timeoutMs, most }: Inquiry,
): Promise<Buffer> => {
  const target = URL.parse(url)
  if (target?.protocol !== 'http:') throw new NoEvidence(`${url}: only http addresses are asked`)
  const fail = (_code: string, message: string, cause?: unknown) => new NoEvidence(message, { cause })
  const exchange = exchangeOver(agent, AbortSignal.timeout(timeoutMs), fail)
  const answer: Answer = await exchange({
    url: target,
    ...(body && { method: 'POST', body, headers: { 'content-type': contentType! } }),
  })
  if (answer.status === 200) return answer.bytes(most)
  await answer.discard()
  throw new NoEvidence(`${target.origin + target.pathname} answers with status ${answer.status}`)
}

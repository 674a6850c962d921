import type { Dispatcher } from 'undici'
import { RemoteStatusError } from '../../engines/kustomize/remotes.ts'
import { describeFailure } from '../../platform/http/describe-failure.ts'
import { reasonPhrase } from '../../platform/http/reason-phrase.ts'

export interface RemoteFileLimits {
  /** Of one file. */
  readonly maxBytes: number
  readonly timeoutMs: number
}

const MAX_REDIRECTS = 10

/**
 * Reads a file over HTTP, with the user and password of its address if there are any. Follows redirects, never from https to
 * http. Fails with RemoteStatusError when the server refuses, and with an Error that names the address when there is no
 * answer, or too much of one.
 */
export const remoteFile =
  (agent: Dispatcher, { maxBytes, timeoutMs }: RemoteFileLimits) =>
  async (address: string): Promise<Uint8Array> => {
    const signal = AbortSignal.timeout(timeoutMs)
    let url = new URL(address)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await ask(agent, url, signal)
      const next = redirectOf(answer, url)
      if (next) {
        await answer.body.dump()
        url = next
        continue
      }
      const { statusCode } = answer
      if (statusCode >= 200 && statusCode < 300) return read(answer.body, url, maxBytes)
      await answer.body.dump()
      throw new RemoteStatusError(statusCode, reasonPhrase(statusCode))
    }
    throw failure(url, `stopped after ${MAX_REDIRECTS} redirects`)
  }

const ask = async (agent: Dispatcher, url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> => {
  const { origin, pathname, search, username, password } = url
  const basic = username && Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  try {
    return await agent.request({
      origin,
      path: pathname + search,
      method: 'GET',
      headers: { 'user-agent': 'keelson', ...(basic && { authorization: `Basic ${basic.toString('base64')}` }) },
      signal,
    })
  } catch (error) {
    throw failure(url, error)
  }
}

const redirectOf = ({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | undefined => {
  if (![301, 302, 303, 307, 308].includes(statusCode) || typeof headers.location !== 'string') return undefined
  const to = URL.parse(headers.location, from.href)
  if (to?.protocol === 'https:' || (to?.protocol === 'http:' && from.protocol === 'http:')) return to
  throw failure(from, `it redirects to ${to ? to.origin : 'an invalid address'}, which is refused`)
}

const read = async (body: Dispatcher.ResponseData['body'], url: URL, maxBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      if (bytes > maxBytes) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw failure(url, error)
  }
  if (bytes > maxBytes) throw failure(url, `the file is larger than the limit of ${maxBytes} bytes`)
  return Buffer.concat(chunks)
}

/** Addresses are told without what may be secret in them. */
const failure = (url: URL, cause: unknown): Error => {
  const why = typeof cause === 'string' ? cause : describeFailure(url, cause)
  return new Error(`Get ${JSON.stringify(url.origin + url.pathname)}: ${why}`, { cause })
}

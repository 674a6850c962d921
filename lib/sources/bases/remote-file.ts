import { RemoteStatusError } from '../../engines/kustomize/remotes.ts'
import type { HttpAgent } from '../../platform/http/guarded-agent.ts'
import { httpClient } from '../../platform/http/http-client.ts'
import type { HttpPolicy } from '../../platform/http/http-policy.ts'
import { reasonPhrase } from '../../platform/http/reason-phrase.ts'

export interface RemoteFileLimits {
  /** Of one file. */
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** Like Go's HTTP client, which kustomize uses, sends the user and password of an address. */
const filePolicy: HttpPolicy = {
  ...{ userAgent: 'keelson', retries: false, sendsUserInfo: true },
  redirects: { methods: ['GET'], max: 10 },
}

/**
 * Reads a file over HTTP, with the user and password of its address if it has any. Follows redirects, but never from
 * https to http. Fails with RemoteStatusError if the server refuses, and with an Error that names the address if there
 * is no response, or one that is too large.
 */
export const remoteFile =
  (agent: HttpAgent, { maxBytes, timeoutMs }: RemoteFileLimits) =>
  async (address: string): Promise<Uint8Array> => {
    const send = httpClient({
      ...{ agent, policy: filePolicy, signal: AbortSignal.timeout(timeoutMs) },
      // Messages omit the query, the user and the password of an address: they may be secret.
      fail: ({ code, url, reason, cause }) => {
        const what = code === 'unreachable' ? reason : `the file ${reason}`
        return new Error(`Get ${JSON.stringify(url.origin + url.pathname)}: ${what}`, { cause })
      },
    })
    const response = await send({ url: new URL(address) })
    if (response.status >= 200 && response.status < 300) return response.bytes(maxBytes)
    await response.discard()
    throw new RemoteStatusError(response.status, reasonPhrase(response.status))
  }

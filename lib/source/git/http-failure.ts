import type { Dispatcher } from 'undici'
import { failureWords } from '../../http/failure-words.ts'
import { GitError, type GitErrorCode } from './git-error.ts'

const MAX_REASON_BYTES = 1000

const refusals: Readonly<Record<number, { code: GitErrorCode; text: string }>> = {
  401: { code: 'unauthorized', text: 'authentication required' },
  403: { code: 'forbidden', text: 'authorization failed' },
  404: { code: 'repositoryNotFound', text: 'repository not found' },
}

/** An answer that is no success, in the words of go-git: with what the server says about it. */
export const refusal = async ({ statusCode, body }: Dispatcher.ResponseData, url: URL): Promise<GitError> => {
  const known = refusals[statusCode]
  if (!known) {
    await body.dump()
    return new GitError('protocol', `unexpected requesting "${url.href}" status code: ${statusCode}`)
  }
  return new GitError(known.code, `${known.text}: ${await reasonOf(body)}`)
}

const reasonOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= MAX_REASON_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_REASON_BYTES).toString('utf8')
}

/** No answer, or one that broke off, in the words of Go's HTTP client. */
export const connectionFailure = (url: URL, cause: unknown): GitError =>
  new GitError('unreachable', `Get "${url.href}": ${failureWords(url, cause)}`, { cause })

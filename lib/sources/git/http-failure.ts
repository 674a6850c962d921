import type { Dispatcher } from 'undici'
import { describeBody } from '../../foundations/rules/server-message.ts'
import { describeFailure } from '../../platform/http/describe-failure.ts'
import { reasonPhrase } from '../../platform/http/reason-phrase.ts'
import { GitError, type GitErrorCode } from './git-error.ts'

const MOST_BYTES = 64 << 10

const refusals: Readonly<Record<number, { code: GitErrorCode; text: string }>> = {
  401: { code: 'unauthorized', text: 'authentication required' },
  403: { code: 'forbidden', text: 'authorization failed' },
  404: { code: 'repositoryNotFound', text: 'repository not found' },
}

/** Bodies that tell no more than their status. */
const commonplaces = ['404 page not found', 'repository not found', 'repository not found.']

/** An answer that is no success, in the words of go-git. Git over HTTP has no form for errors: a body is quoted only if it tells nothing. */
export const refusal = async ({ statusCode, headers, body }: Dispatcher.ResponseData, url: URL): Promise<GitError> => {
  const known = refusals[statusCode]
  if (!known) {
    await body.dump()
    return new GitError('protocol', `unexpected requesting "${url.href}" status code: ${statusCode}`)
  }
  return new GitError(known.code, `${known.text}: ${await reasonIn(body, statusCode, headers['content-type'])}`)
}

const reasonIn = async (
  body: AsyncIterable<Uint8Array>,
  status: number,
  contentType: string | string[] | undefined,
): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= MOST_BYTES) break
  }
  const text = Buffer.concat(chunks).toString('utf8')
  const isCommonplace = [reasonPhrase(status).toLowerCase(), ...commonplaces].includes(text.trim().toLowerCase())
  return isCommonplace ? text : describeBody(bytes, contentType)
}

/** No answer, or one that broke off, in the words of Go's HTTP client. */
export const connectionFailure = (url: URL, cause: unknown): GitError =>
  new GitError('unreachable', `Get "${url.href}": ${describeFailure(url, cause)}`, { cause })

import { describeBody } from '../../foundations/rules/server-message.ts'
import type { HttpFailure, HttpResponse } from '../../platform/http/http-client.ts'
import { reasonPhrase } from '../../platform/http/reason-phrase.ts'
import { GitError, type GitErrorCode, tooLarge } from './git-error.ts'

const maxReasonBytes = 64 << 10

const refusals: Readonly<Record<number, { code: GitErrorCode; text: string }>> = {
  401: { code: 'unauthorized', text: 'authentication required' },
  403: { code: 'forbidden', text: 'authorization failed' },
  404: { code: 'repositoryNotFound', text: 'repository not found' },
}

/** Bodies that repeat their status. */
const genericBodies = ['404 page not found', 'repository not found', 'repository not found.']

/**
 * An error for a status other than success, worded as in go-git. Git over HTTP has no format for errors: a body is
 * quoted only if it is one of the usual texts.
 */
export const statusError = async (response: HttpResponse): Promise<GitError> => {
  const known = refusals[response.status]
  if (known) return new GitError(known.code, `${known.text}: ${await reasonIn(response)}`)
  await response.discard()
  return new GitError('protocol', `unexpected requesting "${response.url.href}" status code: ${response.status}`)
}

const reasonIn = async (response: HttpResponse): Promise<string> => {
  const body = await response.prefix(maxReasonBytes)
  const text = body.toString('utf8')
  const isCommonplace = [reasonPhrase(response.status).toLowerCase(), ...genericBodies].includes(
    text.trim().toLowerCase(),
  )
  return isCommonplace ? text : describeBody(body.length, response.headers['content-type'])
}

/**
 * An error for a failed request, worded as in Go's HTTP client: no response or a broken one, a refused redirect, or a
 * response over the limit.
 */
export const requestError = ({ code, url, reason, cause }: HttpFailure): GitError => {
  if (code === 'unreachable') return new GitError(code, `Get "${url.href}": ${reason}`, { cause })
  return code === 'tooLarge' ? tooLarge(`the response ${reason}`) : new GitError(code, `${url.href} ${reason}`)
}
